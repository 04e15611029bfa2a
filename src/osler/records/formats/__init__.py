"""The formats records are kept in, one module each; every module here has a `FORMAT`."""
