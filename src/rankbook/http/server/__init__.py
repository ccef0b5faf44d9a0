"""Running the application: processes, sockets and signals."""
