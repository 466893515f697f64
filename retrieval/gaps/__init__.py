"""Knowledge gaps: what people ask and the documents do not answer."""
