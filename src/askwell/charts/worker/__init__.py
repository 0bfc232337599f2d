"""What runs inside a process that draws charts: no network, nothing of the service's, easily killed."""
