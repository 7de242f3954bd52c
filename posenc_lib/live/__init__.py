"""Floor 3: sliders move views. The only place that imports ipywidgets."""
