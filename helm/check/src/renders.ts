// Renders the chart for each case and hands the objects to its expectations.
import { type Manifest, template } from './helm.ts';
import { over } from './matrix.ts';
import type { RenderCase, Rendered } from './render-cases.ts';

function rendered(manifests: readonly Manifest[]): Rendered {
  const all = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const pods = manifests.flatMap(({ kind, spec }) => {
    if (kind === 'Pod') return [spec];
    return kind === 'Deployment' || kind === 'Job' ? [spec.template.spec] : [];
  });
  return {
    manifests,
    pods,
    all,
    names: (kind) =>
      all(kind)
        .map(({ metadata }) => metadata.name)
        .sort(),
    one(kind, name) {
      const found = all(kind).filter(({ metadata }) => metadata.name === name);
      if (found.length !== 1)
        throw new Error(`there are ${found.length} of ${kind} ${name}; there is ${this.names(kind)}`);
      return found[0] as Manifest;
    },
  };
}

/** Throws where what a switch renders is not what it should be. */
export async function checkRender(helm: string, each: RenderCase, kubeVersion: string): Promise<void> {
  const { manifests } = await template(helm, over(each.values), each.kubeVersion ?? kubeVersion);
  try {
    each.expect(rendered(manifests));
  } catch (error) {
    throw new Error(`${each.switch}: ${each.says}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
