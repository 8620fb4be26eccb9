"""The noise that moves a Lattice's cell: independent on each axis, or round."""
