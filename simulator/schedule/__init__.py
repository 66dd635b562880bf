"""More threads than cores: run queues, time slices, migration, and how fast what runs together goes."""
