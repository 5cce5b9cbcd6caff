# Makes the folders beside this file and their golden vectors; see SOURCE.txt.
import json, os, shutil, sys
import numpy as np
from model2vec import StaticModel
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

here = os.path.dirname(os.path.abspath(__file__))
PIECES = """[PAD] [UNK] [CLS] [SEP] [MASK] ! ' , - . 1 2 ? a b c d e i n o r s t u z the of and in who what is
was film director city river paris rome titanic james cameron new york born
##a ##b ##c ##d ##e ##i ##n ##o ##r ##s ##t ##ing ##ed ##er ##ly ##ich zur photograph bite dog man
東 京 都 é ı ##é I P Paris""".split()
TEXTS = [
    "Who was the director of the film Titanic?", "James Cameron", "  the\tcity\nof\u00a0Paris ", "photographers, photographing",
    "Zürich and ZÜRICH", "東京都", "東x京", "é É e\u0301", "İIıi", "don't bite", "qqq", "the qqq of", "", "  ", "\u200bthe\u0000 city\ufffd",
    "the [SEP] city [MASK][PAD]", "[sep] [UNK] the", "[[SEP]]", "😀 the 😀", "the¿city…", "$the+city^", "new york new yorker New  York",
    "dog bites man " * 9, "a" * 99, "a" * 100, "a" * 101, "a " * 200, "1, 2-1.", "ﬁlm Ⅻ ＤＯＧ", "\u1e9e ß sss", "neWYork new-york",
]


def tokenizer(**rules):
    t = Tokenizer(models.WordPiece({p: i for i, p in enumerate(PIECES)}, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer(**rules)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.add_special_tokens([AddedToken(p, normalized=False, special=True) for p in PIECES[:5]])
    return t


def save(name, model):
    folder = os.path.join(here, name)
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    for extra in ("README.md", "modules.json"):
        os.remove(os.path.join(folder, extra))
    model = StaticModel.from_pretrained(folder)
    vectors = model.encode(TEXTS, normalize=False).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    with open(os.path.join(here, name + ".golden.json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps({"text": t, "vector": [round(float(x), 6) for x in v]}) for t, v in zip(TEXTS, vectors)) + "\n]\n")


rng = np.random.default_rng(7)
n = len(PIECES)
save("plain", StaticModel(rng.normal(size=(n, 6)).astype(np.float32), tokenizer(lowercase=True), {"normalize": True}, normalize=True, max_length=24))

# A vocabulary in clusters, with weights, cased, and with tokens of several words.
t = tokenizer(lowercase=False, strip_accents=False, handle_chinese_chars=False)
t.add_tokens([AddedToken("new york", normalized=True), AddedToken("new york new", normalized=True)])
m = n + 2
save("clusters", StaticModel(rng.normal(size=(20, 6)).astype(np.float16), t, {}, weights=rng.uniform(0.1, 2, size=m).astype(np.float32),
                             token_mapping=rng.integers(0, 20, size=m), max_length=None))
