// The calls of the service and its codes, as it declares them. It is long since it has all of them, and generated: `npm run docs:generate` writes it.

/** A call: how it is made over REST, the sentences for people, and the JSON Schema of its fields. */
export interface CatalogCall {
  readonly event: string;
  readonly changes: boolean;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly fields: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly codes: readonly string[];
}

export const CATALOG: readonly CatalogCall[] = [
  {
    "event": "node:add",
    "changes": true,
    "method": "POST",
    "path": "/api/node",
    "summary": "Creates a node, alone or as a child of another node.",
    "description": "With `target` the new node is a child: it has the owner and the readers of its parent, and a link leads from it to the parent, which it blocks. Without, the caller owns it alone. It starts with empty texts and lists, zeros, `false`, and `null` for `dueDate`. Needed: Editor on the parent, where one is named.",
    "fields": {
      "type": "object",
      "properties": {
        "target": {
          "description": "The parent of the new node.",
          "type": "string",
          "format": "uuid"
        },
        "title": {
          "description": "The work to do, in a line.",
          "type": "string",
          "minLength": 0,
          "maxLength": 500
        },
        "description": {
          "description": "All else about it.",
          "type": "string",
          "minLength": 0,
          "maxLength": 20000
        },
        "status": {
          "description": "0 Available, 1 InProgress or 3 Completed. Nobody sets 2, Blocked, by hand.",
          "type": "integer",
          "minimum": 0,
          "maximum": 3,
          "not": {
            "const": 2
          }
        },
        "dueDate": {
          "description": "Null clears it. The last second of a day in UTC, such as 2026-12-24T23:59:59Z, stands for that day.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 100,
              "format": "date-time"
            },
            {
              "type": "null"
            }
          ]
        },
        "tags": {
          "description": "Words to find it by.",
          "maxItems": 64,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 0,
            "maxLength": 100
          }
        },
        "priority": {
          "description": "How urgent it is, by the order of its users.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1000000
        },
        "independent": {
          "description": "Whether links do not block it.",
          "type": "boolean"
        },
        "volume": {
          "description": "How much work it is, in the unit of its users.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1000000
        },
        "assignee": {
          "description": "The people who do it, as users name them.",
          "maxItems": 64,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 0,
            "maxLength": 255
          }
        },
        "pinned": {
          "description": "For clients that draw: whether it stays where it is.",
          "type": "boolean"
        },
        "collapsed": {
          "description": "For clients that draw: whether what is below it is folded away.",
          "type": "boolean"
        },
        "x": {
          "description": "A position, for clients that draw.",
          "type": "number"
        },
        "y": {
          "description": "A position, for clients that draw.",
          "type": "number"
        },
        "z": {
          "description": "A position, for clients that draw.",
          "type": "number"
        }
      },
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request.status_blocked",
      "conflict.target_in_trash",
      "conflict.too_many_links",
      "conflict.too_many_grants",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:update",
    "changes": true,
    "method": "PUT",
    "path": "/api/node",
    "summary": "Changes fields of a node.",
    "description": "Only the fields that are given change; at least one must be. A status is an entry of its own in the diff, as are the statuses of other nodes that follow from it. Needed: Editor on the node.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "title": {
          "description": "The work to do, in a line.",
          "type": "string",
          "minLength": 0,
          "maxLength": 500
        },
        "description": {
          "description": "All else about it.",
          "type": "string",
          "minLength": 0,
          "maxLength": 20000
        },
        "status": {
          "description": "0 Available, 1 InProgress or 3 Completed. Nobody sets 2, Blocked, by hand.",
          "type": "integer",
          "minimum": 0,
          "maximum": 3,
          "not": {
            "const": 2
          }
        },
        "dueDate": {
          "description": "Null clears it. The last second of a day in UTC, such as 2026-12-24T23:59:59Z, stands for that day.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 100,
              "format": "date-time"
            },
            {
              "type": "null"
            }
          ]
        },
        "tags": {
          "description": "Words to find it by.",
          "maxItems": 64,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 0,
            "maxLength": 100
          }
        },
        "priority": {
          "description": "How urgent it is, by the order of its users.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1000000
        },
        "independent": {
          "description": "Whether links do not block it.",
          "type": "boolean"
        },
        "volume": {
          "description": "How much work it is, in the unit of its users.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1000000
        },
        "assignee": {
          "description": "The people who do it, as users name them.",
          "maxItems": 64,
          "type": "array",
          "items": {
            "type": "string",
            "minLength": 0,
            "maxLength": 255
          }
        },
        "pinned": {
          "description": "For clients that draw: whether it stays where it is.",
          "type": "boolean"
        },
        "collapsed": {
          "description": "For clients that draw: whether what is below it is folded away.",
          "type": "boolean"
        },
        "x": {
          "description": "A position, for clients that draw.",
          "type": "number"
        },
        "y": {
          "description": "A position, for clients that draw.",
          "type": "number"
        },
        "z": {
          "description": "A position, for clients that draw.",
          "type": "number"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false,
      "minProperties": 2
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "bad_request.no_fields",
      "bad_request.status_blocked",
      "conflict.in_trash",
      "conflict.node_blocked",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:trash",
    "changes": true,
    "method": "POST",
    "path": "/api/node/trash",
    "summary": "Moves a node to the trash, with all links on it.",
    "description": "What is below the node stays. What it blocked may be unblocked. Needed: Editor on the node.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.already_trashed",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:restore",
    "changes": true,
    "method": "POST",
    "path": "/api/node/restore",
    "summary": "Brings a node back from the trash, with the links that went with it.",
    "description": "Links that cannot come back stay in the trash, and are listed in `diff.skipped`. Needed: Editor on the node.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "not_trashed_node",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:delete",
    "changes": true,
    "method": "DELETE",
    "path": "/api/node",
    "summary": "Deletes a trashed node for good, with its trashed links.",
    "description": "Nothing brings it back. Needed: Owner of the node.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "not_trashed_node",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:access",
    "changes": true,
    "method": "POST",
    "path": "/api/node/access",
    "summary": "Grants an e-mail a level on a node or on its whole branch.",
    "description": "It may replace a grant that is there. An e-mail that nobody has yet waits for its user. Needed: Admin on the node; for a branch, admin of a branch that holds it.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node's id.",
          "type": "string",
          "format": "uuid"
        },
        "email": {
          "description": "The grantee's e-mail.",
          "type": "string",
          "minLength": 3,
          "pattern": "^[^\\s@|]+@[^\\s@|]+$",
          "maxLength": 255
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "level": {
          "default": 3,
          "type": "integer",
          "minimum": 1,
          "maximum": 3,
          "description": "1 admin, 2 editor, 3 viewer."
        },
        "due": {
          "description": "When it ends; null for never.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 100,
              "format": "date-time"
            },
            {
              "type": "null"
            }
          ]
        },
        "branch": {
          "default": true,
          "type": "boolean",
          "description": "Whether it takes in all that is below the node."
        }
      },
      "required": [
        "id",
        "email"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "invalid_due",
      "bad_request.owner_grant",
      "conflict.in_trash",
      "conflict.too_many_grants",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:access:update",
    "changes": true,
    "method": "PUT",
    "path": "/api/node/access",
    "summary": "Changes an existing grant.",
    "description": "What is left out keeps its value; one of `level`, `due` and `branch` must be given. Needed: Admin on the node; for a branch, admin of a branch that holds it.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node's id.",
          "type": "string",
          "format": "uuid"
        },
        "email": {
          "description": "The grantee's e-mail.",
          "type": "string",
          "minLength": 3,
          "pattern": "^[^\\s@|]+@[^\\s@|]+$",
          "maxLength": 255
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "level": {
          "type": "integer",
          "minimum": 1,
          "maximum": 3,
          "description": "1 admin, 2 editor, 3 viewer."
        },
        "due": {
          "description": "When it ends; null for never.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 100,
              "format": "date-time"
            },
            {
              "type": "null"
            }
          ]
        },
        "branch": {
          "type": "boolean",
          "description": "Whether it takes in all that is below the node."
        }
      },
      "required": [
        "id",
        "email"
      ],
      "additionalProperties": false,
      "minProperties": 3
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "invalid_due",
      "bad_request.no_fields",
      "conflict.in_trash",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:access:delete",
    "changes": true,
    "method": "DELETE",
    "path": "/api/node/access",
    "summary": "Takes a grant away; one's own at any level.",
    "description": "It counts from that moment on: the sockets of the grantee have left the feed before the answer is sent. Needed: Admin on the node, or for a branch grant of a branch that holds it; for one’s own grant nothing.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node's id.",
          "type": "string",
          "format": "uuid"
        },
        "email": {
          "description": "The grantee's e-mail.",
          "type": "string",
          "minLength": 3,
          "pattern": "^[^\\s@|]+@[^\\s@|]+$",
          "maxLength": 255
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id",
        "email"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:access:list",
    "changes": false,
    "method": "GET",
    "path": "/api/node/access",
    "summary": "Lists the grants on a node.",
    "description": "By e-mail, at most 1,000 a page. Admins see all of them, others their own alone. Needed: Viewer on the node.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node's id.",
          "type": "string",
          "format": "uuid"
        },
        "after": {
          "description": "The `next` of the page before: an e-mail.",
          "type": "string",
          "minLength": 0,
          "maxLength": 320
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "node:showing",
    "changes": true,
    "method": "PUT",
    "path": "/api/node/showing",
    "summary": "Shows or hides a grant's nodes in the grantee's own graph and pushes.",
    "description": "A hidden grant goes on giving what it gave: its nodes are only left out of the graph and of pushes. Needed: A grant of their own on the node.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node's id.",
          "type": "string",
          "format": "uuid"
        },
        "showing": {
          "type": "boolean",
          "description": "Whether its nodes show in the graph and in pushes of the caller."
        }
      },
      "required": [
        "id",
        "showing"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:publish",
    "changes": true,
    "method": "POST",
    "path": "/api/node/public",
    "summary": "Publishes a node or its branch for anonymous reading.",
    "description": "The diff has the new `publicToken`, by which anybody reads it without an account. Needed: Admin on the node; for a branch, admin of a branch that holds it.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "due": {
          "description": "When it ends; null for never.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 100,
              "format": "date-time"
            },
            {
              "type": "null"
            }
          ]
        },
        "branch": {
          "default": true,
          "description": "Whether it takes in all that is below the node.",
          "type": "boolean"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "invalid_due",
      "conflict.in_trash",
      "conflict.already_public",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:publish:update",
    "changes": true,
    "method": "PUT",
    "path": "/api/node/public",
    "summary": "Changes a publication.",
    "description": "The public token stays. One of `due` and `branch` must be given. Needed: Admin on the node; for a branch, admin of a branch that holds it.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "due": {
          "description": "When it ends; null for never.",
          "anyOf": [
            {
              "type": "string",
              "minLength": 0,
              "maxLength": 100,
              "format": "date-time"
            },
            {
              "type": "null"
            }
          ]
        },
        "branch": {
          "description": "Whether it takes in all that is below the node.",
          "type": "boolean"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false,
      "minProperties": 2
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "invalid_due",
      "bad_request.no_fields",
      "conflict.in_trash",
      "conflict.not_public",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "node:unpublish",
    "changes": true,
    "method": "DELETE",
    "path": "/api/node/public",
    "summary": "Ends a publication.",
    "description": "What its public token opened closes at once: sockets by it are told, and closed. Needed: Admin on the node; for a branch, admin of a branch that holds it.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.not_public",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "link:add",
    "changes": true,
    "method": "POST",
    "path": "/api/link",
    "summary": "Links two nodes; a link between them that is in the trash comes back instead.",
    "description": "A primary link blocks its target until its source is completed. It becomes secondary where the caller cannot edit the target, and private where they only see what they link. Needed: Viewer on both nodes.",
    "fields": {
      "type": "object",
      "properties": {
        "source": {
          "description": "The node that it leads from.",
          "type": "string",
          "format": "uuid"
        },
        "target": {
          "description": "The node that it leads to.",
          "type": "string",
          "format": "uuid"
        },
        "type": {
          "default": 0,
          "description": "Whether it blocks: 0 primary, 1 secondary.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1
        },
        "private": {
          "default": false,
          "description": "Whether only its owner sees it.",
          "type": "boolean"
        }
      },
      "required": [
        "source",
        "target"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request.self_link",
      "conflict.in_trash",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "link:update",
    "changes": true,
    "method": "PUT",
    "path": "/api/link",
    "summary": "Changes a link's type or privacy.",
    "description": "One of `type` and `private` must be given. Needed: For the type its owner while they see both ends, or an editor of its target who sees its source; for the privacy its owner.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        },
        "type": {
          "description": "Whether it blocks: 0 primary, 1 secondary.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1
        },
        "private": {
          "description": "Whether only its owner sees it.",
          "type": "boolean"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false,
      "minProperties": 2
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.in_trash",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "bad_request.no_fields",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "link:swap",
    "changes": true,
    "method": "POST",
    "path": "/api/link/swap",
    "summary": "Reverses a link: its source becomes its target.",
    "description": "It becomes secondary where the caller cannot edit the new target. Needed: Its owner while they see both ends, or an editor of its target who sees its source.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.in_trash",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "link:trash",
    "changes": true,
    "method": "POST",
    "path": "/api/link/trash",
    "summary": "Moves a link to the trash.",
    "description": "What it blocked may be unblocked. Needed: Its owner, an editor of its target who sees its source, or an admin of its source.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.already_trashed",
      "conflict.too_many_feeds",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "link:restore",
    "changes": true,
    "method": "POST",
    "path": "/api/link/restore",
    "summary": "Brings a link back from the trash.",
    "description": "Both of its ends must be active. Needed: Its owner while they see both ends, or an editor of its target who sees its source.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.in_trash",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "not_trashed_link",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "link:delete",
    "changes": true,
    "method": "DELETE",
    "path": "/api/link",
    "summary": "Deletes a trashed link for good.",
    "description": "Nothing brings it back. Needed: Its owner, or an admin of its target.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node or link that it is about.",
          "type": "string",
          "format": "uuid"
        },
        "version": {
          "description": "The version that the call was made for: a stale one is refused as `version_conflict`.",
          "type": "integer",
          "minimum": 1,
          "maximum": 9007199254740991
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "not_trashed_link",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "batch:undo",
    "changes": true,
    "method": "POST",
    "path": "/api/history/undo",
    "summary": "Takes back what a batch did.",
    "description": "All of it or nothing. It makes a batch of its own, which can be undone too. Needed: The level that each of its changes would take if it were done by hand.",
    "fields": {
      "type": "object",
      "properties": {
        "batchId": {
          "description": "The batch of history.",
          "type": "string",
          "format": "uuid"
        }
      },
      "required": [
        "batchId"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.in_trash",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "conflict.already_trashed",
      "conflict.already_public",
      "conflict.not_public",
      "conflict.node_blocked",
      "conflict.target_in_trash",
      "conflict.irreversible",
      "conflict.expired",
      "conflict.too_many_grants",
      "conflict.already_undone",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "batch:redo",
    "changes": true,
    "method": "POST",
    "path": "/api/history/redo",
    "summary": "Makes again what an undone batch did.",
    "description": "All of it or nothing. It makes a batch of its own, which can be undone too. Needed: The level that each of its changes would take if it were done by hand.",
    "fields": {
      "type": "object",
      "properties": {
        "batchId": {
          "description": "The batch of history.",
          "type": "string",
          "format": "uuid"
        }
      },
      "required": [
        "batchId"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "version_conflict",
      "conflict.in_trash",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "conflict.too_many_links",
      "conflict.too_many_feeds",
      "conflict.already_trashed",
      "conflict.already_public",
      "conflict.not_public",
      "conflict.node_blocked",
      "conflict.target_in_trash",
      "conflict.irreversible",
      "conflict.expired",
      "conflict.too_many_grants",
      "conflict.not_undone",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "batch:run",
    "changes": true,
    "method": "POST",
    "path": "/api/batch",
    "summary": "Does several operations in one, all of them or none.",
    "description": "1 to 500 operations, each judged on the state that those before it left. They make one batch of history, which is undone as one. The first refusal refuses all, and `details.index` says which operation it met, from 0. A call counts once, and once more for every 25 operations. Needed: The level that each of its operations takes.",
    "fields": {
      "type": "object",
      "properties": {
        "operations": {
          "maxItems": 500,
          "minItems": 1,
          "description": "In the order in which they are done.",
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "event": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "enum": [
                  "node:add",
                  "node:update",
                  "node:trash",
                  "node:restore",
                  "node:delete",
                  "node:access",
                  "node:access:update",
                  "node:access:delete",
                  "node:showing",
                  "node:publish",
                  "node:publish:update",
                  "node:unpublish",
                  "link:add",
                  "link:update",
                  "link:swap",
                  "link:trash",
                  "link:restore",
                  "link:delete"
                ],
                "description": "The event of a mutation, other than those on batches."
              },
              "payload": {
                "description": "The payload of the event. In the place of an id, `$name` stands for that of an earlier operation."
              },
              "as": {
                "description": "A name for what `node:add` or `link:add` brings, once in a batch: `$name` is its id, and `$name.link` that of the link to the `target` of `node:add`.",
                "type": "string",
                "minLength": 1,
                "pattern": "^[A-Za-z0-9_-]+$",
                "maxLength": 64
              }
            },
            "required": [
              "event"
            ],
            "additionalProperties": false,
            "description": "One of the operations of a batch."
          }
        }
      },
      "required": [
        "operations"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request.status_blocked",
      "conflict.target_in_trash",
      "conflict.too_many_links",
      "conflict.too_many_grants",
      "conflict.too_many_feeds",
      "version_conflict",
      "bad_request.no_fields",
      "conflict.in_trash",
      "conflict.node_blocked",
      "conflict.already_trashed",
      "not_trashed_node",
      "invalid_due",
      "bad_request.owner_grant",
      "conflict.already_public",
      "conflict.not_public",
      "bad_request.self_link",
      "conflict.cycle",
      "conflict.duplicate_link",
      "conflict.duplicate_reversed_link",
      "not_trashed_link",
      "bad_request.unknown_event",
      "bad_request.unknown_name",
      "bad_request.duplicate_name",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin",
      "bad_request.invalid_idempotencyKey",
      "bad_request.dry_run_key",
      "forbidden.read_only",
      "conflict.idempotency_key"
    ]
  },
  {
    "event": "graph:get",
    "changes": false,
    "method": "GET",
    "path": "/api/graph",
    "summary": "Reads a page of the graph that the caller can see.",
    "description": "What is active: all nodes before all links, each by id. A page is also bounded by bytes (4 MiB, over sockets 512 KiB), so that it may end before its `limit`. Needed: None: callers read what they see.",
    "fields": {
      "type": "object",
      "properties": {
        "limit": {
          "default": 1000,
          "description": "The most entities of the page.",
          "type": "integer",
          "minimum": 1,
          "maximum": 5000
        },
        "offset": {
          "default": 0,
          "description": "How many come before the page. It counts what has come, not what was asked for.",
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991
        },
        "after": {
          "description": "The `next` of the page before; a walk by it misses nothing while others write.",
          "type": "string",
          "minLength": 0,
          "maxLength": 200
        }
      },
      "additionalProperties": false
    },
    "codes": [
      "bad_request.invalid_after",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "branch:get",
    "changes": false,
    "method": "GET",
    "path": "/api/branch",
    "summary": "Reads a page of a published branch by its token, or of any branch that the caller sees by the id of its root.",
    "description": "Pages are those of `graph:get`. Readers without an account are shown no people. Needed: Viewer on the root, or its public token.",
    "fields": {
      "type": "object",
      "properties": {
        "root": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "A public token, or the id of a node."
        },
        "limit": {
          "default": 1000,
          "description": "The most entities of the page.",
          "type": "integer",
          "minimum": 1,
          "maximum": 5000
        },
        "offset": {
          "default": 0,
          "description": "How many come before the page. It counts what has come, not what was asked for.",
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991
        },
        "after": {
          "description": "The `next` of the page before; a walk by it misses nothing while others write.",
          "type": "string",
          "minLength": 0,
          "maxLength": 200
        }
      },
      "required": [
        "root"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request.invalid_after",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "trash:page",
    "changes": false,
    "method": "GET",
    "path": "/api/trash",
    "summary": "Reads a page of the trash.",
    "description": "What the caller may restore: nodes and links together, newest first. Needed: None: callers read what they see.",
    "fields": {
      "type": "object",
      "properties": {
        "limit": {
          "default": 100,
          "description": "The most entities of the page.",
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        },
        "offset": {
          "default": 0,
          "description": "How many come before the page. It counts what has come, not what was asked for.",
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991
        }
      },
      "additionalProperties": false
    },
    "codes": [
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "history:page",
    "changes": false,
    "method": "GET",
    "path": "/api/history",
    "summary": "Reads a page of the history.",
    "description": "Batches, newest first, with the operations on what the caller can see now. Over REST the scope may be left out: then it is all that is theirs to see. Over sockets it must be named. Needed: None: callers read what they see.",
    "fields": {
      "type": "object",
      "properties": {
        "scopeType": {
          "type": "string",
          "minLength": 0,
          "maxLength": 100,
          "description": "GRAPH, NODE, LINK or USER."
        },
        "scopeId": {
          "description": "The node's or link's id; of GRAPH and USER also the caller's own.",
          "type": "string",
          "format": "uuid"
        },
        "limit": {
          "default": 100,
          "description": "The most entities of the page.",
          "type": "integer",
          "minimum": 1,
          "maximum": 1000
        },
        "offset": {
          "default": 0,
          "description": "How many come before the page. It counts what has come, not what was asked for.",
          "type": "integer",
          "minimum": 0,
          "maximum": 9007199254740991
        }
      },
      "additionalProperties": false
    },
    "codes": [
      "bad_request.invalid_scope",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "changes:get",
    "changes": false,
    "method": "POST",
    "path": "/api/changes",
    "summary": "Reads what changed for the caller since a position.",
    "description": "The present state of all that changed: whole nodes and links, the ids of those that went, and the feeds that the caller began or ceased to read. Where the service cannot tell all, it answers `resetRequired`. A position of many feeds is too long for a query string: POST does the same as GET. Needed: None: callers read what they see.",
    "fields": {
      "type": "object",
      "properties": {
        "since": {
          "type": "string",
          "minLength": 1,
          "maxLength": 160000,
          "description": "The `position` of an earlier answer."
        },
        "heard": {
          "maxItems": 200,
          "description": "Numbers of feeds up to which the caller lacks nothing: the answer begins after them where they are later than the position.",
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "feed": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100
              },
              "seq": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9007199254740991
              }
            },
            "required": [
              "feed",
              "seq"
            ],
            "additionalProperties": false
          }
        },
        "cursor": {
          "description": "The `next` of the page before; `since` and `heard` stay the same.",
          "type": "string",
          "minLength": 1,
          "maxLength": 90000
        }
      },
      "required": [
        "since"
      ],
      "additionalProperties": false
    },
    "codes": [
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "graph:plan",
    "changes": false,
    "method": "GET",
    "path": "/api/plan",
    "summary": "Plans what is to be done: when each node can begin, which may not slip, and what is ready now.",
    "description": "The nodes are those of a branch, or of the caller's own graph without `root`. Each lasts its `volume`, a completed one nothing; the target of a primary link waits for its source unless it is `independent`. Pages come by id; lists of the whole plan come with the first. Needed: None for the own graph; viewer on a root.",
    "fields": {
      "type": "object",
      "properties": {
        "root": {
          "description": "The root of a branch; without it the caller's own graph is planned.",
          "type": "string",
          "format": "uuid"
        },
        "start": {
          "description": "When the plan begins. With `unit` alone.",
          "type": "string",
          "minLength": 0,
          "maxLength": 100,
          "format": "date-time"
        },
        "unit": {
          "description": "How long a unit of `volume` lasts. With `start` alone.",
          "type": "string",
          "enum": [
            "minute",
            "hour",
            "day",
            "week"
          ]
        },
        "slip": {
          "anyOf": [
            {
              "type": "object",
              "properties": {
                "id": {
                  "type": "string",
                  "format": "uuid"
                },
                "by": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000
                }
              },
              "required": [
                "id",
                "by"
              ],
              "additionalProperties": false
            },
            {
              "type": "string",
              "minLength": 0,
              "pattern": "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}:(?:1000000|[1-9][0-9]{0,5})$",
              "maxLength": 50
            }
          ],
          "description": "A node that is not completed, and how many units longer it takes: `{id, by}`, or `ID:BY` in a query."
        },
        "limit": {
          "default": 1000,
          "description": "The most nodes of the page.",
          "type": "integer",
          "minimum": 1,
          "maximum": 5000
        },
        "after": {
          "description": "The `next` of the page before.",
          "type": "string",
          "format": "uuid"
        }
      },
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request.too_large",
      "conflict.not_open",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  },
  {
    "event": "node:why",
    "changes": false,
    "method": "GET",
    "path": "/api/node/why",
    "summary": "Explains a node: what it waits for, what has to be done first, and in which ways it is seen.",
    "description": "It tells of what the caller sees alone. With `all` it tells in which ways others see the node, as far as by grants that the caller could list. Needed: Viewer on the node; admin with `all`.",
    "fields": {
      "type": "object",
      "properties": {
        "id": {
          "description": "The node's id.",
          "type": "string",
          "format": "uuid"
        },
        "all": {
          "default": false,
          "description": "Everybody's ways, each with its e-mail; for admins and the owner.",
          "type": "boolean"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
    "codes": [
      "not_found",
      "forbidden",
      "bad_request",
      "bad_request.invalid_body",
      "bad_request.unknown_field",
      "bad_request.immutable_field",
      "bad_request.missing_<field>",
      "bad_request.invalid_<field>",
      "bad_request.invalid_uuid",
      "bad_request.out_of_range",
      "bad_request.too_large",
      "unauthorized",
      "rate_limited",
      "internal.exception",
      "internal.broken_answer",
      "internal.too_large",
      "unavailable",
      "bad_request.invalid_json",
      "bad_request.invalid_content_type",
      "forbidden.origin"
    ]
  }
];

/** How to get further after a code; `<field>` stands for the name of a field. */
export const REMEDIES: Readonly<Record<string, string>> = {
  "bad_request": "Correct the request as the message says.",
  "bad_request.method": "Use a method from the header Allow.",
  "bad_request.invalid_json": "Send JSON in UTF-8.",
  "bad_request.invalid_body": "Send one object.",
  "bad_request.invalid_content_type": "Send Content-Type: application/json.",
  "bad_request.unknown_field": "Remove the field.",
  "bad_request.immutable_field": "Remove the field.",
  "bad_request.missing_<field>": "Send the field.",
  "bad_request.invalid_<field>": "Correct the field as the message says.",
  "bad_request.invalid_uuid": "Send an id from the service.",
  "bad_request.invalid_idempotencyKey": "Send a shorter key, such as a UUID.",
  "bad_request.out_of_range": "Send a number within the bounds from the message.",
  "bad_request.unknown_name": "Give the name to an earlier operation with as.",
  "bad_request.duplicate_name": "Give each operation its own name.",
  "bad_request.dry_run_key": "Remove the key: a dry run changes nothing.",
  "bad_request.no_fields": "Send at least one field.",
  "bad_request.too_large": "Split the request; read a branch of this size as part of the graph.",
  "bad_request.invalid_after": "Send next unchanged, or start without after.",
  "bad_request.invalid_scope": "Use a node, link or user that is visible to the caller.",
  "bad_request.status_blocked": "Add a primary link instead.",
  "bad_request.self_link": "Use two different nodes.",
  "bad_request.owner_grant": "No grant is needed: the owner has full access.",
  "bad_request.unknown_event": "Use an event from interface.md.",
  "bad_request.missing_ack": "Send the call again with a callback.",
  "bad_request.invalid_packet": "Use a Socket.IO 4 client.",
  "bad_request.common_password": "Choose another password.",
  "invalid_due": "Send a later time.",
  "not_trashed_node": "Trash it first.",
  "not_trashed_link": "Trash it first.",
  "unauthorized": "Sign in again, or use another token.",
  "unauthorized.late": "Connect again with the token in the handshake.",
  "forbidden": "Ask the owner for a grant.",
  "forbidden.read_only": "Use a token that can write.",
  "forbidden.session_required": "Sign in and use the session.",
  "forbidden.origin": "Ask the operator to add the origin to ALLOWED_ORIGINS.",
  "forbidden.wrong_password": "Enter it again, or reset it.",
  "forbidden.registration_off": "Ask the operator for an account.",
  "forbidden.mail_off": "Ask the operator to set a new password.",
  "forbidden.identity": "Sign in with that identity.",
  "forbidden.email_unverified": "Verify it at the provider, then sign in again.",
  "not_found": "Check the id or path; read the graph again.",
  "version_conflict": "Read the entity and decide again; undo the later batches first.",
  "conflict.in_trash": "Restore it first.",
  "conflict.already_trashed": "There is nothing to do.",
  "conflict.target_in_trash": "Restore the parent, or choose another.",
  "conflict.node_blocked": "Complete the blockers, or remove the links.",
  "conflict.not_open": "Use a node that is not Completed.",
  "conflict.cycle": "Remove a link of the cycle, or add a secondary link.",
  "conflict.duplicate_link": "Update the existing link.",
  "conflict.duplicate_reversed_link": "Swap the existing link.",
  "conflict.too_many_links": "Remove links, or insert a node in between.",
  "conflict.too_many_grants": "Share a branch instead of single nodes.",
  "conflict.too_many_feeds": "Share a branch that contains the others.",
  "conflict.too_many_tokens": "Revoke one first.",
  "conflict.already_public": "Update the publication instead.",
  "conflict.not_public": "Publish it first.",
  "conflict.already_undone": "Redo it, or do nothing.",
  "conflict.not_undone": "Undo it first.",
  "conflict.irreversible": "Create the entity again.",
  "conflict.expired": "Create a new one.",
  "conflict.idempotency_key": "Use a new key for each command.",
  "conflict.registered": "Sign in.",
  "conflict.own_account": "Ask another administrator.",
  "rate_limited": "Wait for details.retryAfterMs, or for Retry-After.",
  "internal": "Contact the operator.",
  "internal.exception": "Report the trace_id.",
  "internal.broken_answer": "Report the trace_id.",
  "internal.too_large": "Request less at once.",
  "internal.unproven": "Give all services the same value.",
  "unavailable": "Try again after Retry-After, with the same idempotency key.",
  "unavailable.slow_reader": "Connect again, and call changes:get with the last position."
};
