// Suggests completions for the last word of a command line: commands, options and nodes.
import { onOneLine } from '@taskgraph/client/transfer';
import type { Command, Option } from 'commander';
import { type Graph, graphOf } from '../graph/graph.ts';
import { shortIdsOf, slugOf } from '../graph/references.ts';

export interface Suggestion {
  readonly value: string;
  readonly description: string;
}

interface CommandLine {
  /** The last word is the one that is completed; it may be empty. */
  readonly words: readonly string[];
  /** Null if there is no copy of the graph. */
  readonly graph: Graph | null;
}

/** No shell gives these characters a meaning, quoted or not. */
const VALUE = /^[A-Za-z0-9-]+$/;
const MAXIMUM_SUGGESTIONS = 1_000;
/** Characters of a description. */
const MAXIMUM_DESCRIPTION_LENGTH = 80;
/** Arguments that refer to nodes. */
const NODE_ARGUMENTS: ReadonlySet<string> = new Set(['node', 'source', 'target', 'parent']);

/**
 * Suggestions for the last word. Values consist of letters, digits and hyphens; descriptions are
 * one line without control characters.
 */
export function suggestionsFor(program: Command, { words, graph }: CommandLine): Suggestion[] {
  const { command, arguments: before, option } = parseWords(program, words.slice(0, -1));
  const word = words.at(-1) ?? '';
  const [prefix, candidates] = prefixAndCandidates();
  const offered = new Map<string, Suggestion>();
  for (const { value, description } of candidates) {
    if (!VALUE.test(value) || !value.startsWith(prefix) || offered.has(value)) continue;
    offered.set(value, { value, description: onOneLine(description).slice(0, MAXIMUM_DESCRIPTION_LENGTH).trim() });
    if (offered.size === MAXIMUM_SUGGESTIONS) break;
  }
  return [...offered.values()];

  function prefixAndCandidates(): [prefix: string, candidates: Iterable<Suggestion>] {
    if (option !== undefined) return [word, valuesOf(option, graph)];
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    if (equals >= 0) {
      const named = optionNamed(word.slice(0, equals), command, program);
      return [word.slice(equals + 1), named === undefined ? [] : valuesOf(named, graph)];
    }
    if (word.startsWith('-')) return [word, optionsOf(command, program)];
    return [
      word,
      before === 0 && command.commands.length > 0 ? commandsOf(command) : argumentsOf(command, before, graph),
    ];
  }
}

/**
 * The command that the words name, its number of arguments so far, and an option that still needs
 * its value.
 */
function parseWords(program: Command, words: readonly string[]) {
  let [command, count] = [program, 0];
  let option: Option | undefined;
  // Bash splits --name=value into three words.
  for (const word of words.filter((each) => each !== '=')) {
    if (option !== undefined) {
      option = undefined;
    } else if (word.startsWith('-')) {
      const named = optionNamed(word, command, program);
      if (named?.required || named?.optional) option = named;
    } else {
      const subcommand = count === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (subcommand === undefined) count++;
      else command = subcommand;
    }
  }
  return { command, arguments: count, option };
}

/** The options of the program are valid after every command. */
function allOptions(command: Command, program: Command): readonly Option[] {
  const [of, all] = [program.createHelp(), command === program ? [command] : [command, program]];
  return all.flatMap((each) => of.visibleOptions(each));
}

function optionNamed(word: string, command: Command, program: Command): Option | undefined {
  return allOptions(command, program).find(({ long, short }) => word === long || word === short);
}

function optionsOf(command: Command, program: Command): Suggestion[] {
  return allOptions(command, program).map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    description,
  }));
}

function commandsOf(command: Command): Suggestion[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((each) => ({ value: each.name(), description: each.description() }));
}

function valuesOf({ argChoices = [], flags }: Option, graph: Graph | null): Iterable<Suggestion> {
  if (argChoices.length > 0) return argChoices.map((value) => ({ value, description: '' }));
  return /<node>/.test(flags) ? nodesOf(graph) : [];
}

function argumentsOf(command: Command, index: number, graph: Graph | null): Iterable<Suggestion> {
  const all = command.registeredArguments;
  const argument = all[index] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (argument?.argChoices !== undefined) return argument.argChoices.map((value) => ({ value, description: '' }));
  return argument !== undefined && NODE_ARGUMENTS.has(argument.name()) ? nodesOf(graph) : [];
}

/** Suggests each node by its short id and by its title as one word. */
function* nodesOf(graph: Graph | null): Iterable<Suggestion> {
  const { nodes } = graph ?? graphOf([], []);
  const shortId = shortIdsOf(nodes.values());
  for (const { id, title } of nodes.values()) {
    yield { value: shortId(id), description: title };
    yield { value: slugOf(title), description: title };
  }
}
