"""Pictures. The only place that knows matplotlib."""
