/* Finds sections of the documentation. It needs no page, so that tests can call it. */
export const MAX_RESULTS = 20;
/** A word that means the same counts less than the word itself. */
const SAME_MEANING = 0.6;
const FOR_CONTRIBUTORS = 0.5;
/** The start of a word is enough to know what is meant. */
const MIN_START = 4;

/** Takes the contents of `search.json`. */
export function openIndex({ pages, synonyms }) {
  const sections = pages.flatMap(({ url, title, about, isForContributors, sections: parts }) =>
    parts.map(([anchor, heading, text]) => ({
      href: anchor === "" ? url : `${url}#${anchor}`,
      title,
      heading,
      text,
      // "Webhooks" is the page about the word "webhook".
      lowTitle: title.toLowerCase().replace(/s$/, ""),
      lowHeading: heading.toLowerCase(),
      lowText: text.toLowerCase(),
      lowAbout: heading === "" ? about.toLowerCase() : "",
      factor: isForContributors ? FOR_CONTRIBUTORS : 1,
    })),
  );
  return { sections, synonyms };
}

/** The best sections, and the words to mark in them. */
export function findSections({ sections, synonyms }, query) {
  const words = splitQuery(query.toLowerCase(), synonyms);
  if (words.length === 0) return { words, results: [] };
  const wanted = words.map((word) => listForms(word, synonyms));
  const results = sections
    .map((section) => ({ section, points: score(section, wanted) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, MAX_RESULTS)
    .map(({ section }) => section);
  return { words: [...new Set(wanted.flat().map(({ text }) => text))], results };
}

/** A phrase that is a synonym is one word. */
function splitQuery(query, synonyms) {
  const phrases = synonyms.flat().filter((known) => known.includes(" ") && query.includes(known));
  const rest = phrases.reduce((text, phrase) => text.replace(phrase, " "), query);
  return [...phrases, ...rest.split(/\s+/).filter(Boolean)];
}

/** The word itself, without the ending of a plural, and the words that mean the same. */
function listForms(word, synonyms) {
  const singular = word.length > MIN_START && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
  const isMeant = (known) => known === singular || (singular.length >= MIN_START && known.startsWith(singular));
  const same = synonyms.filter((group) => group.some(isMeant)).flat();
  const others = same.filter((other) => !other.startsWith(singular));
  return [{ text: singular, weight: 1 }, ...others.map((text) => ({ text, weight: SAME_MEANING }))];
}

/** Zero unless every word occurs, in one of its forms. */
function score(section, wanted) {
  let total = section.heading === "" ? 1 : 0;
  for (const forms of wanted) {
    const found = Math.max(...forms.map(({ text, weight }) => weight * scoreWord(section, text)));
    if (found === 0) return 0;
    total += found;
  }
  return total * section.factor;
}

function scoreWord({ lowTitle, lowHeading, lowText, lowAbout, heading }, word) {
  return (
    scoreIn(lowHeading, word, 10) +
    scoreIn(lowTitle, word, heading === "" ? 12 : 4) +
    scoreIn(lowAbout, word, 6) +
    scoreIn(lowText, word, 1)
  );
}

/** A match inside of a word counts little: "rate" is not what "strategies" are about. */
function scoreIn(text, word, weight) {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (text === word) return weight * 3;
  return at === 0 || /[^a-z0-9]/.test(text[at - 1]) ? weight * 2 : weight / 4;
}
