// The page of an address without a place.
import { followLink } from '../history.ts';
import { messages } from '../messages/messages.ts';

export function NotFoundView() {
  const { notFound: texts } = messages;
  return (
    <div className="view">
      <h1>{texts.title}</h1>
      <p>{texts.lead}</p>
      <p>
        <a href="/ready" onClick={followLink}>
          {texts.back}
        </a>
      </p>
    </div>
  );
}
