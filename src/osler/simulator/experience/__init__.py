"""Experience across patients: streams of cases, lessons from earlier ones, and who must not get them."""
