package auth

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net/url"
	"testing"
	"time"
)

// TestNamesInCertificates: what of a certificate names its client.
func TestNamesInCertificates(t *testing.T) {
	spiffe, _ := url.Parse("spiffe://example.com/web")
	all := &x509.Certificate{
		Subject: pkix.Name{CommonName: "web"}, URIs: []*url.URL{spiffe}, DNSNames: []string{"web.example.com", "other"},
		EmailAddresses: []string{"web@example.com"}, NotAfter: time.Now().Add(time.Hour),
	}
	f := func(kind string, cert *x509.Certificate, want Result, name string) {
		t.Helper()
		if a := (MTLS{kind}).Check(&Request{Cert: cert}); a.Result != want || a.Who != name {
			t.Errorf("%s: %+v", kind, a)
		}
	}
	f("auto", all, OK, "web")
	f("cn", all, OK, "web")
	f("uri", all, OK, "spiffe://example.com/web")
	f("dns", all, OK, "web.example.com")
	f("email", all, OK, "web@example.com")
	without := *all
	without.Subject.CommonName = ""
	f("auto", &without, OK, "spiffe://example.com/web")
	f("cn", &without, Forbidden, "")
	without.URIs = nil
	f("auto", &without, OK, "web.example.com")
	f("uri", &without, Forbidden, "")
	without.DNSNames = nil
	f("auto", &without, OK, "web@example.com")
	f("dns", &without, Forbidden, "")
	without.EmailAddresses = nil
	f("auto", &without, Forbidden, "")
	f("email", &without, Forbidden, "")
	odd := *all
	odd.Subject.CommonName = "a\r\nb"
	f("cn", &odd, Forbidden, "")
	old := *all
	old.NotAfter = time.Now().Add(-time.Second)
	f("cn", &old, Refused, "")
	f("cn", nil, Missing, "")
}
