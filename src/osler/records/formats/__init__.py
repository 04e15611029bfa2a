"""Record formats, one module each. Every `Format` object in these modules is picked up."""
