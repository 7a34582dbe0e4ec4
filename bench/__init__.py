"""Measurements. They print figures and fail on nothing."""
