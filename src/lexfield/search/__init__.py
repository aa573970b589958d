"""Search methods by name, one file each, and the class ``Index``."""
