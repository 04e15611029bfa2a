"""Experience across patients.

Streams of cases, lessons from earlier ones, and who must not get them.
"""
