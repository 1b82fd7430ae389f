def is_available():
    return True


def is_initialized():
    """The simulated host has no communication."""
    return False
