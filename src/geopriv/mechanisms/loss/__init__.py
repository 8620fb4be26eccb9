"""Privacy loss from densities alone: what mechanisms say of their worst, and audits compare with the promise."""
