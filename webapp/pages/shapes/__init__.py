"""What templates take: plain frozen values, in the shapes that each template's contract names."""
