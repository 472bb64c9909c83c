"""The error that ends a bench without a result."""


class Failure(Exception):
    """The measurement is not possible. The message states the reason."""
