"""Client of Taskgraph, a service that stores tasks as nodes and their dependencies as links."""

from .batch import Batch, Created
from .client import Client
from .errors import (
    BadRequest,
    Conflict,
    Forbidden,
    Internal,
    NotFound,
    RateLimited,
    ResetRequired,
    TaskgraphError,
    Unauthorized,
    Unavailable,
    VersionConflict,
)

__all__ = [
    "BadRequest",
    "Batch",
    "Client",
    "Conflict",
    "Created",
    "Forbidden",
    "Internal",
    "NotFound",
    "RateLimited",
    "ResetRequired",
    "TaskgraphError",
    "Unauthorized",
    "Unavailable",
    "VersionConflict",
]
