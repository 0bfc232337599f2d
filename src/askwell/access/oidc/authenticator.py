"""Bearer tokens of the issuer."""

from __future__ import annotations

import logging

from askwell.access.oidc.claims import principal_of
from askwell.access.oidc.tokens import Refused, TokenChecker, is_compact
from askwell.config import SignInConfig
from askwell.config.oidc import OidcConfig
from askwell.principal import Principal

logger = logging.getLogger(__name__)


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
