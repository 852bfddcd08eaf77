// Shows openapi.json by Swagger UI: with a search over all that an operation says, and a token to try it by.
/* global SwaggerUIBundle */

/** Swagger UI itself looks for the names of tags alone. */
function matches(operation, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const { path, method } = operation.toJS();
  const { operationId, summary, description } = operation.get('operation').toJS();
  const text = [path, method, operationId, summary, description].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

const search = () => ({
  fn: {
    opsFilter: (tagged, phrase) =>
      tagged
        .map((tag) =>
          tag.set(
            'operations',
            tag.get('operations').filter((operation) => matches(operation, phrase)),
          ),
        )
        .filter((tag) => tag.get('operations').size > 0),
  },
});

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Nobody else is asked whether the description is valid.
  validatorUrl: null,
  plugins: [search],
});
