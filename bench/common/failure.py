"""What ends a bench before it has a result."""


class Failure(Exception):
    """The measurement cannot be made, and why."""
