// Renders the chart for each case and hands the objects to its expectations.
import { type Manifest, template } from './helm.ts';
import { over } from './matrix.ts';
import type { RenderCase } from './render-cases.ts';

/** The objects of one rendering, with ways to find them. */
export interface Rendered {
  readonly manifests: readonly Manifest[];
  /** The specifications of all pods, those of Deployments and Jobs too. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Manifest.
  readonly pods: readonly any[];
  all(kind: string): readonly Manifest[];
  /** The names of a kind, sorted. */
  names(kind: string): string[];
  /** The one object of this kind and name. Throws where there is none, or more. */
  one(kind: string, name: string): Manifest;
}

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
