"""Single sign-on by OpenID Connect: tokens of an issuer, and sessions of people who signed in there with a browser."""
