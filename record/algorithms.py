"""The versions of the surrogate algorithm."""

ALGORITHM = 3
"""The version of docs/surrogates.md for new cohorts; equal keys give equal surrogates only within
a version."""
ALGORITHMS = (2, ALGORITHM)
"""The versions that this program draws surrogates of, oldest first."""
