package auth

import (
	"crypto/x509"
	"time"
)

// MTLS judges certificates, which the handshake has verified.
type MTLS struct{ kind string }

// Check implements [Scheme]. A connection can outlive the certificate.
func (m MTLS) Check(req *Request) Answer {
	if req.Cert == nil {
		return Answer{Result: Missing, Why: "the connection has no certificate of the client"}
	}
	if time.Now().After(req.Cert.NotAfter) {
		return Answer{Result: Refused, Why: "the certificate of the client has expired"}
	}
	name := m.nameOf(req.Cert)
	if !isName(name) {
		return Answer{Result: Forbidden, Why: "the certificate of the client does not name it as auth.mtls.principal says"}
	}
	return Answer{Result: OK, Who: name}
}

// nameOf is the name of a client in its certificate, "" if that has none.
func (m MTLS) nameOf(c *x509.Certificate) string {
	var uri, dns, email string
	if len(c.URIs) > 0 {
		uri = c.URIs[0].String()
	}
	if len(c.DNSNames) > 0 {
		dns = c.DNSNames[0]
	}
	if len(c.EmailAddresses) > 0 {
		email = c.EmailAddresses[0]
	}
	switch m.kind {
	case "cn":
		return c.Subject.CommonName
	case "uri":
		return uri
	case "dns":
		return dns
	case "email":
		return email
	}
	for _, name := range []string{c.Subject.CommonName, uri, dns, email} {
		if name != "" {
			return name
		}
	}
	return ""
}
