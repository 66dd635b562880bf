"""Why a workload is as slow as it is: each resource made ideal in turn, and what that gains."""
