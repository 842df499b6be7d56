package auth

import (
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/sabir-proxy/sabir/config"
)

// JWT judges tokens of an identity provider.
type JWT struct {
	parser *jwt.Parser
	keys   *KeySet
	claim  string
	leeway time.Duration
}

// NewJWT prepares the check of tokens. Only algorithms with a public key are accepted, so that tokens cannot be signed with what is
// public.
func NewJWT(cfg *config.JWT, keys *KeySet) *JWT {
	return &JWT{keys: keys, claim: cfg.Principal, leeway: cfg.Leeway, parser: jwt.NewParser(
		jwt.WithValidMethods(cfg.Algorithms), jwt.WithIssuer(cfg.Issuer), jwt.WithAudience(cfg.Audience),
		jwt.WithLeeway(cfg.Leeway), jwt.WithExpirationRequired(),
	)}
}

// Check implements [Scheme]. A key that is not known may be new: then the keys are fetched, and the token is read again.
func (j *JWT) Check(req *Request) Answer {
	token := bearer(req.Header)
	switch {
	case token == "":
		return Answer{Result: Missing, Why: "no token was sent"}
	case strings.Count(token, ".") != 2:
		return j.refuse("what was sent is no token")
	}
	claims, err := j.parse(token, j.keys.Current())
	if errors.Is(err, errNoKeys) || mayBeNew(err) {
		claims, err = j.parse(token, j.keys.Renew())
	}
	switch {
	case err == nil:
	case errors.Is(err, errNoKeys), mayBeNew(err) && j.keys.Failing():
		return Answer{Result: Unavailable, Why: "the public keys cannot be fetched"}
	default:
		return j.refuse(whyRefused(err))
	}
	name, _ := claims[j.claim].(string)
	if !isName(name) {
		return Answer{Result: Forbidden, Why: "the token does not name its client in the claim " + j.claim}
	}
	a := Answer{Result: OK, Who: name, Used: []string{"authorization"}}
	if expires, err := claims.GetExpirationTime(); err == nil && expires != nil { // else it was refused
		a.Until = expires.Add(j.leeway)
	}
	return a
}

func (*JWT) refuse(why string) Answer {
	return Answer{Result: Refused, Why: why, Challenge: []string{`Bearer error="invalid_token"`}}
}

// parse verifies a token by one state of the keys. One that names no key, and that none of them verifies, may be of a new one.
func (j *JWT) parse(token string, keys jwt.Keyfunc) (jwt.MapClaims, error) {
	if keys == nil {
		return nil, errNoKeys
	}
	claims, unnamed := jwt.MapClaims{}, false
	_, err := j.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		_, named := t.Header["kid"]
		unnamed = !named
		return keys(t)
	})
	if unnamed && errors.Is(err, jwt.ErrTokenSignatureInvalid) {
		err = errors.Join(errUnverified, err)
	}
	return claims, err
}

// mayBeNew reports whether a token was not accepted for want of a key that others may know already.
func mayBeNew(err error) bool { return errors.Is(err, errUnknownKey) || errors.Is(err, errUnverified) }

// whyRefused is what the log says of a token. The errors of the library can repeat parts of it.
func whyRefused(err error) string {
	for _, known := range []struct {
		err error
		why string
	}{
		{errUnknownKey, "the token is signed with a key that is not known"},
		{jwt.ErrTokenMalformed, "what was sent is no token"},
		{jwt.ErrTokenExpired, "the token has expired"},
		{jwt.ErrTokenNotValidYet, "the token is not valid yet"},
		{jwt.ErrTokenInvalidAudience, "the token is for another audience"},
		{jwt.ErrTokenInvalidIssuer, "the token is of another issuer"},
		{jwt.ErrTokenRequiredClaimMissing, "the token lacks a claim that it needs"},
		{jwt.ErrTokenSignatureInvalid, "the signature of the token, or its algorithm, is not accepted"},
	} {
		if errors.Is(err, known.err) {
			return known.why
		}
	}
	return "the token is not accepted"
}
