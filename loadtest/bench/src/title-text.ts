// Titles as long and varied as real ones, so that benchmarks do not overrate compression.
import { randomFrom } from '@taskgraph/testkit/random';

const WORDS =
  'account address agree answer approve archive ask audience backup balance banner board booking brief budget build button call campaign card chapter check client close collect colour compare confirm contract copy cost cover customer date deadline decide deliver design desk detail device draft edit email estimate event export fair feedback field file final finance first floor folder follow form garden group guide handle header hire hotel idea image import index install interview invite invoice kitchen label launch layout lease legal letter licence list load logo mail manager map market measure meeting member menu message migrate minutes mobile model money month move name network note notice number offer office order outline owner pack page paint paper park partner password pay permit phone photo place plan poster prepare price print privacy process product profile project proof publish quarter question quote rate read record release remove renew rent repair reply report request review room route sales sample scan schedule screen search season section select send server service session setting share ship sign site sketch slide speaker staff stage start station stock storage store story supplier support survey switch table talk task tax team template tenant terms test text theme ticket title tool topic track train transfer translate travel trip update upload user vendor venue version video visit volunteer wall week window workshop write'.split(
    ' ',
  );
const LEAST_WORDS = 4;
const MOST_WORDS = 9;

/** A title of four to nine words, on average 43 characters. The same for the same number. */
export function titleText(number: number): string {
  const random = randomFrom(number);
  const text = Array.from({ length: random.between(LEAST_WORDS, MOST_WORDS) }, () => random.of(WORDS)).join(' ');
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
