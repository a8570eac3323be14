"""Models that others make: what turns texts into vectors. Nothing is imported here; a search by words loads none."""
