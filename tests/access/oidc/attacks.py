"""Tokens that have to be refused, by what is wrong with them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.fakes.oidc_issuer import AUDIENCE, FakeIssuer, Key, encode, sign
from tests.support.tables import case_table

# Where nobody is asked for keys: a request that comes here is a defect.
ELSEWHERE = "/stolen"
NAMES_OF_KEYS: dict[str, Any] = {
    **case_table(__file__, "names_of_keys"),
    "long": "k" * 9000,
    "lone surrogate": "\ud800",
}


def attacks(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    """Each by name. None of them says `at+jwt` less than the good one does."""
    yield from _algorithms(issuer)
    yield from _claims(issuer)
    yield from _names_of_keys(issuer)
    yield from _keys_in_headers(issuer)
    yield from _signatures(issuer)
    yield from _headers(issuer)
    yield from _forms(issuer)


def _signed_with(secret: bytes, header: dict[str, Any], claims: Any) -> str:
    head, body = encode(header), encode(claims)
    return f"{head}.{body}.{encode(hmac.new(secret, f'{head}.{body}'.encode(), hashlib.sha256).digest())}"


def _algorithms(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    body, rsa_key = encode(issuer.claims()), issuer.keys[0]
    for name in ("none", "None", "NONE", "nOnE", "", "null"):
        head = encode({"alg": name, "kid": "rsa-1", "typ": "at+jwt"})
        yield f"alg {name!r} without a signature", f"{head}.{body}."
        yield f"alg {name!r} with the signature of a good token", f"{head}.{body}.{issuer.token().rpartition('.')[2]}"
        yield f"alg {name!r} without the last dot", f"{head}.{body}"
    for label, value in {"missing": ..., "null": None, "number": 0, "list": ["RS256"], "object": {}}.items():
        head = {"kid": "rsa-1", "typ": "at+jwt"} | ({} if value is ... else {"alg": value})
        yield f"alg {label}", f"{encode(head)}.{body}.{issuer.token().rpartition('.')[2]}"
    public = rsa_key.private.public_key()
    secrets = {
        "PEM": rsa_key.pem(),
        "PEM without the last line feed": rsa_key.pem().strip(),
        "PKCS1": public.public_bytes(Encoding.PEM, PublicFormat.PKCS1),
        "DER": public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        "JWK": json.dumps(rsa_key.jwk()).encode(),
        "JWK without blanks": json.dumps(rsa_key.jwk(), separators=(",", ":")).encode(),
        "JWKS": json.dumps({"keys": [rsa_key.jwk()]}).encode(),
        "modulus as text": rsa_key.jwk()["n"].encode(),
        "modulus": base64.urlsafe_b64decode(rsa_key.jwk()["n"] + "=="),
        "empty": b"",
        "kid": b"rsa-1",
        "null byte": b"\0",
    }
    for label, secret in secrets.items():
        for algorithm in ("HS256", "RS256"):
            head = {"alg": algorithm, "kid": "rsa-1", "typ": "at+jwt"}
            yield f"{algorithm} by HMAC with {label}", _signed_with(secret, head, issuer.claims())
    for algorithm in ("HS384", "HS512", "RS384", "PS384", "ES384", "ES256K", "RS1", "HMAC", "rs256", "RS256 "):
        yield f"algorithm {algorithm} that is not allowed", issuer.token(header={"alg": algorithm})
    for algorithm in ("ES256", "PS256", "EdDSA"):
        yield f"a signature of RS256 that says {algorithm}", issuer.token(header={"alg": algorithm})
    yield "an RSA token with the name of the EC key", issuer.token(header={"kid": "ec-1"})
    yield "an EC token with the name of the RSA key", issuer.token(issuer.keys[1], {"kid": "rsa-1"})
    yield "an Ed25519 token with the name of the EC key", issuer.token(issuer.keys[2], {"kid": "ec-1", "alg": "ES256"})


def _claims(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    now = time.time()
    wrong: dict[str, dict[str, Any]] = {
        "expired": {"exp": int(now - 61)},
        "expired long ago": {"exp": 1},
        "without exp": {"exp": None},
        "without iat": {"iat": None},
        "issued in the future": {"iat": int(now + 120)},
        "not valid yet": {"nbf": int(now + 120)},
        "for another": {"aud": "another"},
        "for others": {"aud": ["another", "one more"]},
        "for nobody": {"aud": None},
        "for an empty list": {"aud": []},
        "for a part of our name": {"aud": AUDIENCE[:-1]},
        "for more than our name": {"aud": f"{AUDIENCE}2"},
        "for our name in capitals": {"aud": AUDIENCE.upper()},
        "for a list with other things": {"aud": [AUDIENCE, 1]},
        "for an object": {"aud": {AUDIENCE: 1}},
        "of nobody": {"iss": None},
        "of another issuer": {"iss": "https://evil.example"},
        "of our issuer with a slash": {"iss": f"{issuer.url}/"},
        "of our issuer in a list": {"iss": [issuer.url]},
        "of a host that begins like ours": {"iss": f"{issuer.url}.evil.example"},
        "without sub": {"sub": None},
        "with an empty sub": {"sub": ""},
        "with a number as sub": {"sub": 7},
        "with a list as sub": {"sub": ["ann"]},
        "with a very long sub": {"sub": "a" * 256},
        "with a line in sub": {"sub": "ann\nadmin"},
        "with a null in sub": {"sub": "ann\0"},
        "without a role": {"roles": None},
        "with an unknown role": {"roles": ["root"]},
        "with a role as an object": {"roles": {"admin": True}},
    }
    for label, claims in wrong.items():
        yield label, issuer.token(**claims)
    for name in ("exp", "iat", "nbf"):
        for label, value in {
            "text": str(int(now + 100)), "true": True, "list": [now], "object": {}, "negative": -1, "huge": 1e300,
            "a very long number": 10**400, "infinite": math.inf, "no number": math.nan,
        }.items():  # fmt: skip
            yield f"{name} {label}", issuer.token(**{name: value})
        if name != "nbf":
            yield (
                f"{name} null",
                sign(issuer.keys[0], {"kid": "rsa-1", "typ": "at+jwt"}, {**issuer.claims(), name: None}),
            )


def _names_of_keys(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    for label, name in {**NAMES_OF_KEYS, "address": f"{issuer.url}{ELSEWHERE}"}.items():
        header = {"kid": name, "typ": "at+jwt"}
        yield f"kid {label}", sign(issuer.keys[0], header, issuer.claims())
        # An attack by name brings its own key.
        yield f"kid {label}, by a stranger's key", sign(Key.new("x", "ES256"), header, issuer.claims())
        yield f"kid {label}, by an empty secret", _signed_with(b"", {"alg": "HS256", **header}, issuer.claims())
    yield "no kid where there are several keys", issuer.token(Key.new("x", "ES256"), {"kid": None})
    twice = b'{"alg":"RS256","kid":"rsa-9","kid":"rsa-1","typ":"at+jwt"}'
    yield "kid twice", _raw(issuer, twice, issuer.claims())


def _keys_in_headers(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    for stranger in (Key.new("rsa-1"), Key.new("ec-1", "ES256"), Key.new("ed-1", "EdDSA")):
        url = f"{issuer.url}{ELSEWHERE}"
        inside: dict[str, Any] = {
            "nothing": {},
            "jwk": {"jwk": stranger.jwk()},
            "jwk without a name": {"jwk": {**stranger.jwk(), "kid": None}, "kid": None},
            "jku": {"jku": url},
            "jku of another host": {"jku": "http://127.0.0.2/keys"},
            "jku with our host before an @": {"jku": f"{issuer.url}@evil.example/keys"},
            "x5u": {"x5u": url},
            "x5c": {"x5c": [base64.b64encode(stranger.pem()).decode()]},
            "x5t": {"x5t": "AAAA", "x5t#S256": "AAAA"},
            "all of them": {"jwk": stranger.jwk(), "jku": url, "x5u": url, "x5c": [stranger.pem().decode()]},
        }
        for label, header in inside.items():
            yield f"a stranger's {stranger.algorithm} key, and {label}", issuer.token(stranger, header)
    yield "a stranger's key with a name of its own", issuer.token(Key.new("stranger"))


def _signatures(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    for key in issuer.keys:
        token = issuer.token(key)
        head, body, signature = token.split(".")
        raw = base64.urlsafe_b64decode(signature + "==")
        other = issuer.token(key, sub="bea").split(".")
        changed: dict[str, bytes] = {
            "without its last byte": raw[:-1],
            "without its first byte": raw[1:],
            "with another byte": raw + b"\0",
            "with a byte before": b"\0" + raw,
            "with a bit changed": bytes([raw[0] ^ 1]) + raw[1:],
            "of zeros": bytes(len(raw)),
            "of one byte": b"\0",
            "of ones": b"\xff" * len(raw),
        }
        for label, content in changed.items():
            yield f"{key.algorithm}: a signature {label}", f"{head}.{body}.{encode(content)}"
        yield f"{key.algorithm}: no signature", f"{head}.{body}."
        yield f"{key.algorithm}: the signature of another token", f"{head}.{body}.{other[2]}"
        yield f"{key.algorithm}: the claims of another token", f"{head}.{other[1]}.{signature}"
        yield f"{key.algorithm}: padding", f"{token}="
        yield f"{key.algorithm}: two", f"{token}=="
    yield from _curves(issuer)


def _curves(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    head = encode({"alg": "ES256", "kid": "ec-1", "typ": "at+jwt"})
    body = encode(issuer.claims(roles=["admin"]))
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    numbers = {"zero": 0, "one": 1, "the order": order, "the order less one": order - 1, "all bits": 2**256 - 1}
    for first, r in numbers.items():
        for second, s in numbers.items():
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
            yield f"ES256: r {first} and s {second}", f"{head}.{body}.{encode(signature)}"
    der = issuer.keys[1].private.sign(f"{head}.{body}".encode(), ec.ECDSA(jwt.algorithms.hashes.SHA256()))
    yield "ES256: a signature as DER", f"{head}.{body}.{encode(der)}"


def _headers(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    for label, header in case_table(__file__, "headers").items():
        yield label, issuer.token(header=header)
    detached = encode({"alg": "RS256", "kid": "rsa-1", "typ": "at+jwt", "b64": False, "crit": ["b64"]})
    plain = json.dumps(issuer.claims())
    yield "b64 false with claims as they are", f"{detached}.{plain}.{issuer.token().rpartition('.')[2]}"
    yield "b64 false without claims", f"{detached}..{issuer.token().rpartition('.')[2]}"
    for member in ("alg", "typ"):
        text = json.dumps({"alg": "RS256", "kid": "rsa-1", "typ": "at+jwt"})
        yield f"{member} twice", _raw(issuer, (text[:-1] + f',"{member}":"none"}}').encode(), issuer.claims())
        yield (
            f"{member} twice, the good one last",
            _raw(issuer, (f'{{"{member}":"none",' + text[1:]).encode(), issuer.claims()),
        )


def _forms(issuer: FakeIssuer) -> Iterator[tuple[str, str]]:
    header = {"kid": "rsa-1", "typ": "at+jwt"}
    good, text = issuer.token(), json.dumps(issuer.claims())
    for name, value in {"sub": '"bea"', "aud": '"askwell"', "iss": f'"{issuer.url}"', "exp": "99999999999"}.items():
        for label, raw in {
            "twice": f'{text[:-1]},"{name}":{value}}}',
            "twice, the good one last": f'{{"{name}":{value},{text[1:]}',
        }.items():
            yield f"{name} {label}", sign(issuer.keys[0], header, raw.encode())
    yield "roles twice", sign(issuer.keys[0], header, f'{text[:-1]},"roles":["admin"]}}'.encode())
    yield (
        "an object inside with a name twice",
        sign(issuer.keys[0], header, f'{text[:-1]},"a":{{"b":1,"b":2}}}}'.encode()),
    )
    yield "huge", issuer.token(filler="x" * 20_000)
    yield "nested without end", sign(issuer.keys[0], header, f'{text[:-1]},"a":{"[" * 5_000}{"]" * 5_000}}}'.encode())
    yield "a token inside a token", sign(issuer.keys[0], {**header, "cty": "JWT"}, good.encode())
    yield "claims that are a token", sign(issuer.keys[0], header, encode(good.encode()).encode())
    yield "encrypted", ".".join([encode({"alg": "RSA-OAEP", "enc": "A256GCM"}), "a", "b", "c", "d"])
    yield "encrypted and signed", f"{good}.{good}"
    yield "in JSON", json.dumps({"payload": good.split(".")[1], "signature": good.split(".")[2]})
    for label, claims in {
        "a list": b"[]", "null": b"null", "a text": b'"ann"', "a number": b"1", "nothing": b"", "no JSON": b"{",
        "UTF-16": text.encode("utf-16"), "a byte order mark": b"\xef\xbb\xbf" + text.encode(),
        "no UTF-8": b'{"a":"\xff"}', "two objects": text.encode() * 2, "single quotes": text.replace('"', "'").encode(),
    }.items():  # fmt: skip
        yield f"claims of {label}", sign(issuer.keys[0], header, claims)
    for label, token in {
        "a part more": f"{good}.", "a part before": f".{good}", "one part": good.split(".")[0], "dots": "..",
        "one dot": ".", "blanks": f" . {good}", "two tokens": f"{good},{good}", "padded": "=.".join(good.split(".")),
        "standard base64": good.replace("-", "+").replace("_", "/") + "+", "twice": f"{good} {good}",
        "not ascii": "é" + good, "a url": f"{issuer.url}{ELSEWHERE}",
    }.items():  # fmt: skip
        yield f"a form with {label}", token


def _raw(issuer: FakeIssuer, header: bytes, claims: Any) -> str:
    head, body, key = encode(header), encode(claims), issuer.keys[0]
    algorithm = jwt.get_algorithm_by_name("RS256")
    return f"{head}.{body}.{encode(algorithm.sign(f'{head}.{body}'.encode(), key.private))}"
