"""From the claims of a token to a principal: name, role, projects, and what `sign_in` makes of the others."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from askwell.access.oidc.tokens import SUBJECT, Refused, TokenChecker, is_compact
from askwell.access.reading_rights import UnusableClaim, principal_from
from askwell.config import SignInConfig
from askwell.config.sign_in import OidcConfig, ProjectsClaim, RoleClaim
from askwell.principal import ROLES, Principal, Role

logger = logging.getLogger(__name__)

_EVERY_PROJECT = "*"
_LONGEST_NAME = 200


def principal_of(claims: Mapping[str, Any], config: SignInConfig, oidc: OidcConfig) -> Principal:
    """Who the checked claims are about. Their id holds subject and issuer, which only together name a person. Raises
    `Refused` for those who have no role here, or a claim that cannot be used."""
    role = _role(claims, oidc.role)
    if role is None:
        raise Refused("its person has no role here")
    subject = claim_at(claims, oidc.subject_claim)
    if not isinstance(subject, str) or not SUBJECT.fullmatch(subject):
        raise Refused("sign_in.oidc.subject_claim is not in it")
    wanted = {source.claim for source in config.properties.values()}
    if config.database_role is not None:
        wanted.add(config.database_role.claim)
    try:
        return principal_from(
            {name: claim_at(claims, name) for name in wanted},
            id=f"oidc:{subject}@{oidc.issuer.partition('://')[2]}",
            name=_name(claims, oidc),
            role=role,
            projects=_projects(claims, oidc.projects),
            mapping=config,
        )
    except UnusableClaim as error:
        raise Refused(f"of a claim: {error}") from None


def claim_at(claims: Mapping[str, Any], name: str) -> Any:
    """What the dots of a name lead to in claims that hold others: `realm_access.roles`. A name that is an address
    is that of one claim: `https://example.org/roles`. A claim whose name merely looks like a way through others counts
    for nothing: it may come from where people set claims themselves."""
    if "://" in name:
        return claims.get(name)
    here: Any = claims
    for part in name.split("."):
        here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _texts(claims: Mapping[str, Any], name: str) -> list[str]:
    found = claim_at(claims, name)
    return [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, str)]


def _role(claims: Mapping[str, Any], source: RoleClaim) -> Role | None:
    roles: Mapping[str, Role] = source.roles or {role: role for role in ROLES}
    found = [roles[text] for text in _texts(claims, source.claim) if text in roles]
    return max(found, key=ROLES.index, default=source.default)


def _projects(claims: Mapping[str, Any], source: ProjectsClaim | None) -> frozenset[str] | None:
    if source is None:
        return None
    texts = _texts(claims, source.claim)
    if not source.projects:
        return frozenset(texts)
    found = {project for text in texts for project in source.projects.get(text, ())}
    return None if _EVERY_PROJECT in found else frozenset(found)


def _name(claims: Mapping[str, Any], oidc: OidcConfig) -> str:
    names = (claim_at(claims, name) for name in (oidc.name_claim, "preferred_username", "email"))
    name = next((one for one in names if isinstance(one, str) and one.strip()), claims["sub"])
    return "".join(letter for letter in name if letter.isprintable())[:_LONGEST_NAME]


class OidcAuthenticator:
    """An `Authenticator` of tokens that the issuer signed for one of the configured audiences."""

    def __init__(self, config: SignInConfig, oidc: OidcConfig, checker: TokenChecker) -> None:
        self._config = config
        self._oidc = oidc
        self._checker = checker

    async def principal(self, token: str) -> Principal | None:
        """Whose token this is; None for nobody's. Raises `Unavailable` where it may be signed with a key that the
        issuer, which is away, alone knows."""
        if not self._oidc.takes_bearer_tokens or not is_compact(token):
            return None
        try:
            claims = await self._checker.claims(token, self._oidc.audiences, self._oidc.token_types)
            return principal_of(claims, self._config, self._oidc)
        except Refused as refused:
            logger.info("a token was refused", extra={"reason": str(refused)})
            return None
