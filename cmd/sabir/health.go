package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/config"
)

func newHealth() *cobra.Command {
	var ask question
	var ready bool
	cmd := &cobra.Command{
		Use:   "health [--admin ADDRESS] [--ready]",
		Short: "Ask a running Sabir whether it is healthy",
		Long: `Health asks the admin address of a running Sabir for /healthz, or with --ready
for /readyz, which fails while it drains. The exit status is 0 if the answer is
good and 1 if not. It is for the health checks of containers: the image has no
other program to ask with. Where admin has tls, ADDRESS begins with https://,
and --ca names the certificates to trust if the system trusts none of them.`,
		Example: `  sabir health
  sabir health --ready --admin 127.0.0.1:9090
  sabir health --admin https://127.0.0.1:9090 --ca admin.pem`,
		Args: cobra.NoArgs,
		RunE: work(func(cmd *cobra.Command, _ []string) error {
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			return ask.health(cmd, path)
		}),
	}
	cmd.Flags().StringVar(&ask.admin, "admin", "127.0.0.1:9090", "`ADDRESS` for operators")
	cmd.Flags().StringVar(&ask.tls.CA, "ca", "", "`FILE` of certificates to trust, PEM")
	cmd.Flags().StringVar(&ask.tls.ServerName, "server-name", "", "`NAME` in the certificate, if not that of ADDRESS")
	cmd.Flags().BoolVar(&ready, "ready", false, "ask whether new streams are accepted")
	return cmd
}

// healthTime is how long the whole question may take; the usual timeout of a health check is longer.
const healthTime = 3 * time.Second

// question is whom to ask, and by what to know the answer for theirs.
type question struct {
	admin string
	tls   config.TLS
}

// https is what an address begins with where admin has tls.
const https = "https://"

func (q *question) health(cmd *cobra.Command, path string) error {
	listen, secure := strings.CutPrefix(q.admin, https)
	scheme := "http://"
	if secure {
		scheme = https
	}
	address, err := reachable(listen)
	if err != nil {
		return usageError{err}
	}
	if !secure && q.tls != (config.TLS{}) {
		return usageError{errors.New("--ca and --server-name need --admin " + https + address)}
	}
	trust, err := q.tls.Client()
	if err != nil {
		return usageError{fmt.Errorf("--ca: %w", err)}
	}
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, scheme+address+path, nil)
	if err != nil {
		return usageError{fmt.Errorf("--admin: %w", err)}
	}
	client := http.Client{Timeout: healthTime, Transport: &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no answer from %s: %w", address, errors.Unwrap(err))
	}
	defer resp.Body.Close()
	const longest = 256
	text, _ := io.ReadAll(io.LimitReader(resp.Body, longest))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", address, resp.Status, strings.TrimSpace(string(text)))
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}

// reachable is an address that can be called where one is listened on: every address of the machine is its loopback too.
func reachable(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("--admin: want HOST:PORT, as in 127.0.0.1:9090: %w", err)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if err == nil && ip.Is6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}
