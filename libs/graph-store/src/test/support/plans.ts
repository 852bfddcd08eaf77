// The server's plan of a statement.
import type { Driver, Plan } from 'neo4j-driver';

/**
 * The operators of a statement's plan, from last to first, with their arguments. The statement is
 * not executed.
 */
export async function operatorsOf(driver: Driver, cypher: string, parameters: object): Promise<string[]> {
  const session = driver.session();
  const { summary } = await session.run(`EXPLAIN ${cypher}`, parameters);
  await session.close();
  const operators = (plan: Plan): string[] => [
    `${plan.operatorType.split('@')[0]} ${plan.arguments.Details ?? ''}`,
    ...plan.children.flatMap(operators),
  ];
  return operators(summary.plan as Plan);
}

/** Like `operatorsOf`, with a new plan that ignores the server's cache. */
export function operatorsAnew(driver: Driver, cypher: string, parameters: object): Promise<string[]> {
  return operatorsOf(driver, `CYPHER replan=force ${cypher.replace(/^CYPHER replan=skip/, '')}`, parameters);
}
