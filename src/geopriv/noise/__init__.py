"""One law a file: density, exact law, float filter; random bits and the exact sampler."""

from geopriv.noise.base import Noise
from geopriv.noise.generalized_cauchy import GeneralizedCauchy
from geopriv.noise.laplace import Laplace
from geopriv.noise.planar_laplace import PlanarLaplace
from geopriv.noise.spherical_laplace import SphericalLaplace
from geopriv.noise.student_t import StudentT

__all__ = ["GeneralizedCauchy", "Laplace", "Noise", "PlanarLaplace", "SphericalLaplace", "StudentT"]
