// How the server would carry out a statement.
import type { Driver, Plan } from 'neo4j-driver';

/** The operators of a statement's plan, from the last to the first, each with what it works on. Nothing of it is done. */
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

/** The same with a plan that is made now, whatever the server has kept. */
export function operatorsAnew(driver: Driver, cypher: string, parameters: object): Promise<string[]> {
  return operatorsOf(driver, `CYPHER replan=force ${cypher.replace(/^CYPHER replan=skip/, '')}`, parameters);
}
