"""The error that ends a bench without a result."""


class Failure(Exception):
    """Raised if the measurement is impossible. The message states the reason."""
