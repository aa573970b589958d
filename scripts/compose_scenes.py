"""Compose sentences that describe scenes, from WordNet's words and lists of usual ones.

The packages that sentences are collected from rarely say who does what where. Half of the scenes
combine words of WordNet freely; the others say what people and animals usually do.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

# The numbers of WordNet's lexicographer files from which nouns and verbs of scenes come
WORDNET_FILES = """animal 5; thing 6; body 8; food 13; place 15 17; person 18; plant 20;
move 38; touch 34 35 36; act 29 32 33 39 40 41"""
SEED = 7
COMMON, VERY_COMMON = 25_000, 6_000  # ranks of words whose first, and second, sense counts
FALL = 0.8  # how steeply the probability of these words falls with their rank
# Words of other kinds, each kind after its name and how steeply probability falls
USUAL_WORDS = """people 0.5 man woman boy girl child person baby lady guy kid player worker dancer \
couple family crowd group team friend mother father brother sister soldier teacher student doctor \
singer runner rider cyclist swimmer skier surfer climber hiker fisherman chef cook waiter driver \
policeman firefighter artist musician guitarist athlete toddler teenager gentleman grandmother \
bride groom tourist farmer photographer
pet 0.6 dog cat horse bird puppy kitten cow sheep goat duck elephant monkey bear rabbit fish lion \
tiger zebra giraffe pony squirrel
scenery 0.4 street park beach field garden forest river lake mountain hill road bridge ocean sea \
pool snow grass sand water city town village market shop restaurant kitchen room house office \
school church station stage stadium court track playground yard fence wall bench table chair sofa \
bed floor stairs boat car bus train bicycle motorcycle truck crowd rock cliff tree sidewalk ramp \
trail path desert
clothes 0.3 shirt hat jacket dress coat pants jeans shorts helmet sweater uniform suit skirt scarf \
gloves boots shoes sunglasses cap vest costume swimsuit tie glasses backpack
colour 0.3 red blue white black green yellow brown orange pink purple gray grey dark bright \
colorful striped
quality 0.4 young old little small large big tall happy smiling tired elderly beautiful dirty wet \
lonely busy quiet angry strong blond asian african american muscular bearded barefoot
number 0.5 a_few a_pair_of a_group_of two three several many some four five
preposition 0.5 in on near beside through over under behind across along into by around towards \
at past above"""

# What people and animals usually do: verb and the rest, where | separates what may follow
PEOPLE_DO = """play soccer|football|basketball|baseball|tennis|volleyball|guitar|the piano|cards|\
chess|the drums|the violin|a video game|in the sand|in the water|with a ball|with toys|\
with the children
ride a bike|a bicycle|a horse|a skateboard|a motorcycle|a scooter|a wave|a roller coaster|the bus|\
a dirt bike|down a hill|on a train
jump over a hurdle|into a pool|on a trampoline|off a rock|in the air|over a puddle|up and down
run down the street|on a track|along the beach|after a ball|in a race|through a field|to the bus
walk a dog|down the street|along the shore|through the woods|across a bridge|past a shop|home
climb a rock wall|a tree|a mountain|a ladder|up the stairs|a steep cliff|over a fence
throw a ball|a frisbee|a snowball|a stick|stones into the water|a punch
catch a ball|a fish|a frisbee|a wave|the bus
kick a ball|a soccer ball|the sand
hit a ball|a baseball|a tennis ball|a drum
hold a baby|a camera|a sign|an umbrella|a microphone|a flag|hands|a cup of coffee|a trophy|a rope
carry a bag|a child|a box|a backpack|a surfboard|groceries|a ladder|bricks
push a stroller|a cart|a wheelchair|a swing|a car
pull a sled|a wagon|a rope|a suitcase
eat lunch|an ice cream|a sandwich|an apple|pizza|dinner together|a meal|noodles|cake
drink water|coffee|beer|a glass of wine|from a bottle|from a fountain|tea
cook food|dinner|meat on a grill|a meal|an egg in a pan
cut vegetables|a cake|paper|a piece of wood|hair|the grass|an onion|bread
read a book|a newspaper|a map|a magazine|to a child
write on a board|a letter|in a notebook
draw a picture|on the sidewalk|with chalk
paint a wall|a picture|a house|her nails|his face
sit on a bench|at a table|in a chair|on the grass|around a fire|on the stairs|in the sun|on a sofa
stand in line|on a corner|in front of a building|by the road|on a stage|in the rain|under a tree
lie on the beach|in bed|on the ground|in a hammock|on a towel
sleep on a couch|on a train|in a tent|in a chair|on the floor
swim in a pool|in the ocean|underwater|across a lake|with dolphins
surf a big wave|in the sea|at sunset
ski down a slope|in the mountains|off a jump
skate on the ice|at the park|down a rail|along the path
dance on a stage|at a party|in the street|with a partner|to the music|ballet
sing a song|into a microphone|in a choir|on stage|together
perform a trick|on stage|a stunt|for a crowd|a dance
take a picture|a photo|a nap|a walk|a bath|notes|a break|a bow|pictures of the sunset
look at a map|through a telescope|out of a window|at the camera|at a painting|into the distance|\
at a phone
watch a game|television|a movie|a parade|the sunset|a street performer|the birds|the fireworks
wait for a bus|for a train|at a crossing|in a queue|for a friend
talk on a phone|to a friend|to a reporter|with each other|to a crowd|about work
laugh at a joke|together|with friends
smile at the camera|for a photo|at a baby
kiss a baby|his wife|on the cheek|at a wedding
hug a friend|each other|a child|a teddy bear
wash a car|the dishes|a dog|his hands|clothes
clean a window|the floor|the kitchen|a fish
fix a car|a bicycle|a roof|a computer|a sink
build a sand castle|a house|a snowman|a wall|a fire
drive a car|a truck|a tractor|a race car|down the highway
fly a kite|an airplane|a small plane
fish in a river|from a boat|off a pier|on a frozen lake
row a boat|a canoe across the lake
paddle a kayak|down the rapids
sell fruit|flowers|vegetables at a market|food on the street|newspapers
buy bread|food at a market|a ticket|shoes
feed ducks|a baby|pigeons in the park|a giraffe|the chickens
pet a dog|a cat|a horse|a goat
brush her hair|his teeth|a horse
wear a costume|a mask|a funny hat|sunglasses|headphones|makeup
celebrate a birthday|a goal|a victory|a wedding|New Year
open a present|a door|a can|a letter
work on a computer|in a field|in a factory|at a desk|on a roof|in the garden
dig a hole|in the garden|in the sand
plant a tree|flowers
protest against a war|in the street|outside a building
march in a parade|down the street|in a band
race down a track|around a corner|through the mud
fight in a ring|with swords|over a toy
wrestle on the floor|in a ring
stretch before a run|on a mat
exercise in a gym|at home|in a park
hike up a trail|in the mountains|through the snow
camp in the woods|by a lake
slide down a slide|into a base|on the snow
swing on a rope|on a swing|a bat|a golf club
shoot a basketball|an arrow|a gun|a film
sew a dress|by hand
shop for clothes|at a market|for food
"""
ANIMALS_DO = """run through the grass|on the beach|in the snow|across a field|after a ball|in a race
jump over a log|into the water|for a frisbee|through a hoop|over a fence|off a dock
chase a ball|a cat|another dog|its tail|a bird|a squirrel
catch a frisbee|a ball|a fish|a mouse|a stick in its mouth
swim in a lake|through the water|in a river|in a pond
sleep on a bed|in the sun|on a couch|in a basket|under a table|on a windowsill
lie on the floor|in the shade|on a rug|on the grass
sit on a fence|on a lap|by the window|in a tree|next to its owner|in a box
stand in a field|in the water|on a rock|on its hind legs|by a barn
eat grass|hay|from a bowl|leaves from a tree|a bone|meat|seeds
drink water|milk from a bowl|from a stream
play with a toy|with a ball|in the snow|with another dog|in the mud|with a ball of yarn
bark at a stranger|at a cat|at the mailman
fetch a stick|a ball from the water
dig in the sand|a hole in the garden
shake off water|its head
carry a stick|a ball in its mouth|a rider
lick a face|its paw|an ice cream
bite a stick|a rope
climb a tree|over rocks|up a hill
fly over the water|through the air|in the sky|above the trees
graze in a meadow|on a hill|near a fence
pull a sled|a cart|a plow
gallop across a field|around the track
walk on a leash|along the beach|through the woods|on a tightrope|in the snow
look at the camera|out of a window|for food
"""


def read_synsets(folder: Path, part: str) -> Iterator[tuple[list[str], list[str], str]]:
    """Yield the fields, the names and the gloss of WordNet's synsets of a part of speech."""
    for line in (folder / f"package/dict/data.{part}").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            yield fields, fields[4 : 4 + 2 * int(fields[3], 16) : 2], gloss


class Scenes:
    """Sentences that describe scenes, generated from common words."""

    def __init__(self, wordnet: Path, words: Path) -> None:
        from lemminflect import getInflection

        self.inflections = getInflection
        self.rng = random.Random(SEED)
        self.rank = {word: i for i, word in enumerate(words.read_text("utf-8").splitlines())}
        self.lists: dict[str, tuple[list[str], list[float]]] = {}
        by_file = self.group_words(wordnet)
        for entry in WORDNET_FILES.split(";"):
            kind, *files = entry.split()
            self.add(kind, [word for file in files for word in by_file[int(file)]], FALL)
        self.deeds = {"people": split_deeds(PEOPLE_DO), "pet": split_deeds(ANIMALS_DO)}
        for line in USUAL_WORDS.splitlines():
            kind, fall, *usual = line.split()
            self.add(kind, usual, float(fall))

    def group_words(self, wordnet: Path) -> dict[int, list[str]]:
        """Return the common words that are not only proper names, by lexicographer file."""
        names, file_of = set[str](), {}
        for part in ("noun", "verb", "adj"):
            for (offset, file, *_), synonyms, _ in read_synsets(wordnet, part):
                names.update(synonyms)
                file_of[part, offset] = int(file)
        by_file = defaultdict(list)
        for part in ("noun", "verb"):
            index = (wordnet / f"package/dict/index.{part}").read_text("utf-8")
            for line in re.findall(r"(?m)^[a-z]{3,} .*", index):
                word, _, senses, *fields = line.split()
                rank = self.rank.get(word, COMMON + 1)
                if rank <= COMMON and word in names:
                    for offset in fields[-int(senses) :][: 2 if rank < VERY_COMMON else 1]:
                        by_file[file_of[part, offset]].append(word)
        return by_file

    def add(self, kind: str, words: list[str], fall: float) -> None:
        """Add a list of words to pick from, common ones more often; phrases come first."""
        ordered = sorted(dict.fromkeys(words), key=lambda word: self.rank.get(word, -1))
        weights = accumulate(1 / (i + 8) ** fall for i in range(len(ordered)))
        self.lists[kind] = ordered, list(weights)

    def pick(self, kind: str) -> str:
        """Return a random word of a kind."""
        words, weights = self.lists[kind]
        return self.rng.choices(words, cum_weights=weights)[0]

    def is_lucky(self, chance: float) -> bool:
        """Return True with probability ``chance``."""
        return self.rng.random() < chance

    def inflect(self, word: str, tag: str) -> str:
        """Return the form of a word with a Penn Treebank tag."""
        forms = self.inflections(word, tag)
        return str(forms[0]) if forms else word

    def describe_actor(self, kind: str = "") -> tuple[str, bool]:
        """Return who is in the scene, of a kind or any, and whether it is a plural."""
        share = self.rng.random()
        kinds = ((0.5, "people"), (0.65, "pet"), (0.85, "person"), (0.95, "animal"), (1, "thing"))
        kind = kind or next(kind for limit, kind in kinds if share < limit)
        noun = self.pick(kind)
        adjectives = [self.pick("quality")] if self.is_lucky(0.35) else []
        if kind == "pet" and self.is_lucky(0.5):
            adjectives.append(self.pick("colour"))
        is_plural = self.is_lucky(0.25)
        phrase = " ".join([*adjectives, self.inflect(noun, "NNS") if is_plural else noun])
        if is_plural:
            phrase = f"{self.pick('number').replace('_', ' ')} {phrase}"
        else:
            phrase = add_article(phrase) if self.is_lucky(0.8) else "the " + phrase
        if kind == "people" and self.is_lucky(0.35):
            dress = self.pick("colour") + " " if self.is_lucky(0.8) else ""
            dress += self.pick("clothes")
            phrase += self.rng.choice([" wearing ", " in ", " with ", " dressed in "])
            phrase += dress if dress.endswith("s") else add_article(dress)
        return phrase, is_plural

    def describe_place(self) -> str:
        """Return where the scene is."""
        kind = "scenery" if self.is_lucky(0.7) else "place" if self.is_lucky(0.6) else "thing"
        place = self.pick(kind)
        before = self.pick("preposition") + " " + self.rng.choice(["a ", "the ", "the ", ""])
        return before + (self.pick("colour") + " " if self.is_lucky(0.12) else "") + place

    def describe_object(self) -> str:
        """Return what is acted on."""
        share = self.rng.random()
        kinds = ((0.6, "thing"), (0.75, "food"), (0.85, "animal"), (0.9, "plant"), (1, "body"))
        noun = self.pick(next(kind for limit, kind in kinds if share < limit))
        adjective = "colour" if self.is_lucky(0.2) else "quality" if self.is_lucky(0.1) else ""
        noun = f"{self.pick(adjective)} {noun}" if adjective else noun
        return self.rng.choice([add_article(noun), "the " + noun, add_article(noun)])

    def describe_action(self, kind: str, is_plural: bool, tense: str) -> str:
        """Return a verb of a kind: "is walking", "walking", "walked" or "walks"."""
        return self.put_in_tense(self.pick(kind), is_plural, tense)

    def put_in_tense(self, verb: str, is_plural: bool, tense: str) -> str:
        """Return a form of a verb: "is walking", "walking", "walked" or "walks"."""
        if tense == "now":
            return verb if is_plural else self.inflect(verb, "VBZ")
        form = self.inflect(verb, "VBD" if tense == "past" else "VBG")
        return ("are " if is_plural else "is ") + form if tense == "ing" else form

    def compose(self) -> str:
        """Return a sentence."""
        actor, is_plural = self.describe_actor()
        tense = self.rng.choice(["ing", "ing", "now", "bare", "past"])
        share = self.rng.random()
        if share < 0.35:
            text = f"{actor} {self.describe_action('move', is_plural, tense)} "
            text += self.describe_place()
        elif share < 0.7:
            text = f"{actor} {self.describe_action('touch', is_plural, tense)} "
            text += self.describe_object()
            text += f" {self.describe_place()}" if self.is_lucky(0.5) else ""
        elif share < 0.85:
            text = f"{actor} {self.describe_action('act', is_plural, tense)} "
            text += self.rng.choice(["", "with ", "to ", "at "]) + self.describe_actor()[0]
            text += f" {self.describe_place()}" if self.is_lucky(0.4) else ""
        else:
            text = f"{actor} {self.describe_place()}"
            text += f" and {self.describe_actor()[0]}" if self.is_lucky(0.4) else ""
            if self.is_lucky(0.5):
                action = self.describe_action("touch", is_plural, "bare")
                text += f", {action} {self.describe_object()}"
        if self.is_lucky(0.25):
            text += self.rng.choice([" while ", " and ", " as "]) + self.describe_actor()[0] + " "
            kind = "move" if self.is_lucky(0.5) else "touch"
            text += self.describe_action(kind, False, "now" if tense == "bare" else tense)
            text += f" {self.describe_object()}" if self.is_lucky(0.5) else ""
        return text[0].upper() + text[1:] + self.rng.choice([".", ".", " .", ""])

    def compose_usual(self) -> str:
        """Return a sentence on what people or animals usually do."""
        kind = "people" if self.is_lucky(0.75) else "pet"
        actor, is_plural = self.describe_actor(kind)
        tense = self.rng.choice(["ing", "ing", "now", "now", "bare", "past"])
        text = f"{actor} {self.tell_deed(kind, is_plural, tense)}"
        if self.is_lucky(0.35):
            text += f" {self.describe_place()}"
        share = self.rng.random()
        if share < 0.2:
            other, are_others = self.describe_actor("people")
            text += f" while {other} {self.tell_deed('people', are_others, tense)}"
        elif share < 0.35:
            and_tense = tense if tense in ("now", "past") else "bare"
            text += f" and {self.tell_deed(kind, is_plural, and_tense)}"
        elif share < 0.45:
            text += f" with {self.describe_actor()[0]}"
        elif share < 0.52:
            text = f"There {'are' if is_plural else 'is'} {actor} "
            text += self.tell_deed(kind, is_plural, "bare")
        return text[0].upper() + text[1:] + self.rng.choice([".", ".", " .", ""])

    def tell_deed(self, kind: str, is_plural: bool, tense: str) -> str:
        """Return what is done: "is flying a kite", "flying a kite" and so on."""
        verb, ends = self.rng.choice(self.deeds[kind])
        return f"{self.put_in_tense(verb, is_plural, tense)} {self.rng.choice(ends)}"


def split_deeds(lines: str) -> list[tuple[str, list[str]]]:
    """Return verbs, each with what may follow it."""
    parts = (line.partition(" ") for line in lines.splitlines())
    return [(verb, rest.split("|")) for verb, _, rest in parts]


def compose_scenes(wordnet: Path, words: Path, number: int) -> list[str]:
    """Return lines of different scenes, half of them on what people and animals usually do."""
    scenes = Scenes(wordnet, words)
    composed: dict[str, None] = {}
    for limit, compose in ((number // 2, scenes.compose), (number, scenes.compose_usual)):
        while len(composed) < limit:
            composed[compose()] = None
    return [f"scenes\t{sentence}\n" for sentence in composed]


def add_article(phrase: str) -> str:
    """Return a phrase after "a" or "an"."""
    return ("an " if phrase[0] in "aeiou" else "a ") + phrase
