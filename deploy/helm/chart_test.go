package helm

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// program is Sabir, built for these tests.
var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "sabir")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "sabir")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/sabir")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, said))
	}
	m.Run()
}

// render has Helm make the objects, by values in YAML.
func render(values string) (string, map[string]string, error) {
	chart, err := loader.LoadDir("sabir")
	if err != nil {
		return "", nil, err
	}
	given := map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		return "", nil, err
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = common.KubeVersion{Version: "v1.33.0", Major: "1", Minor: "33"}
	top, err := util.ToRenderValues(chart, given, common.ReleaseOptions{Name: "front", Namespace: "agents", IsInstall: true}, capabilities)
	if err != nil {
		return "", nil, err
	}
	files, err := engine.Render(chart, top)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".yaml") {
			all = append(all, files[name])
		}
	}
	return strings.Join(all, "\n---\n"), files, err
}

func rendered(t *testing.T, values string) *objects {
	t.Helper()
	text, _, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, text)
}

// Helm's own linter: names, versions, the schema of the values, whether templates render.
func TestLint(t *testing.T) {
	version := common.KubeVersion{Version: "v1.33.0", Major: "1", Minor: "33"}
	for _, m := range lint.RunAll("sabir", nil, "agents", lint.WithKubeVersion(&version)).Messages {
		if m.Severity >= support.WarningSev {
			t.Error(m)
		}
	}
}

func TestSidecar(t *testing.T) {
	text, err := os.ReadFile("../kubernetes/sidecar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o := read(t, string(text))
	s := o.checkPod(t)
	agent := o.deployment.Spec.Template.Spec.InitContainers[0]
	config := o.configs["agent-sabir"].Data["sabir.yaml"]
	if at := fmt.Sprintf("127.0.0.1:%d/", agent.Ports[0].ContainerPort); !strings.Contains(config, at) {
		t.Errorf("no upstream is at %s, where the agent is", at)
	}
	if *agent.RestartPolicy != "Always" || agent.StartupProbe == nil {
		t.Error("the agent is no sidecar that is waited for")
	}
	if len(o.policies) != 1 || o.policies[0].Spec.Ingress[0].Ports[0].Port.String() != "http" || o.policies[0].Spec.Ingress[1].From == nil {
		t.Errorf("the policies are %v", o.policies)
	}
	if s.Timeouts.Drain != "30s" {
		t.Errorf("the drain takes %s", s.Timeouts.Drain)
	}
}

func TestDefaults(t *testing.T) {
	o := rendered(t, "")
	o.checkPod(t)
	if o.scaler != nil || o.budget != nil || o.monitor != nil || len(o.secrets) != 0 || *o.deployment.Spec.Replicas != 1 {
		t.Errorf("without values there is more than a Deployment: %+v", o)
	}
}

const everything = `
image: {tag: v9}
config:
  upstreams: {agent: {url: "http://agent:9000/", dialect: agui, headers: {set: {Authorization: "${AGENT_KEY}"}}}}
  routes: [{path: /*, upstream: agent, client: auto, default: agui, resume: {grace: 30s}}]
  store: {redis: {prefix: "front:"}}
  timeouts: {idle: 60s}
secrets: {AGENT_KEY: "Bearer x: #y"}
existingSecret: more
adminSHA256: 6b1b36cbb04b41490bfc0ab2bfa26f86e4e1a1a2d2d9b8ff6fa0e0e1b1a1d0c9
redis: {url: "redis://redis:6379/0"}
drainSeconds: 120
autoscaling: {enabled: true, streamsPerPod: 200}
podDisruptionBudget: {enabled: true}
serviceMonitor: {enabled: true, labels: {release: prometheus}, keySecret: {name: sabir-key, key: key}}
nodeSelector: {kubernetes.io/os: linux}
tolerations: [{key: agents, operator: Exists}]
affinity: {podAntiAffinity: {}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
podAnnotations: {a: b}
podLabels: {c: d}
imagePullSecrets: [{name: registry}]
service: {type: LoadBalancer, annotations: {e: f}}
serviceAccount: {annotations: {g: h}}
sidecars:
  - name: agent
    image: agent
    resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
`

func TestEverything(t *testing.T) {
	o := rendered(t, everything)
	if s := o.checkPod(t); s.Timeouts.Drain != "2m" && s.Timeouts.Drain != "120s" {
		t.Errorf("the drain takes %s", s.Timeouts.Drain)
	}
	config := o.configs["front-sabir"].Data["sabir.yaml"]
	for _, want := range []string{"url: ${REDIS_URL}", `prefix: 'front:'`, "idle: 60s", "admin_sha256: 6b1b"} {
		if !strings.Contains(config, want) && !strings.Contains(config, strings.ReplaceAll(want, "'", `"`)) {
			t.Errorf("the configuration has no %s:\n%s", want, config)
		}
	}
	if o.secrets["front-sabir"].StringData["AGENT_KEY"] != "Bearer x: #y" || strings.Contains(config, "Bearer") {
		t.Errorf("the secrets are %v", o.secrets)
	}
	pod := o.deployment.Spec.Template.Spec
	if o.deployment.Spec.Replicas != nil || pod.Containers[0].Image != "sabir:v9" || len(pod.Containers) != 2 || len(pod.Containers[0].EnvFrom) != 2 {
		t.Errorf("the Deployment is %+v", o.deployment.Spec)
	}
	if o.scaler.Spec.ScaleTargetRef.Name != o.deployment.Name || len(o.scaler.Spec.Metrics) != 2 || o.budget.Spec.MaxUnavailable.IntValue() != 1 {
		t.Errorf("the scaler is %+v, the budget %+v", o.scaler, o.budget)
	}
	o.checkMonitor(t)
}

// checkMonitor: Prometheus finds the Service of the admin address, and only that.
func (o *objects) checkMonitor(t *testing.T) {
	t.Helper()
	end := o.monitor.Spec.Endpoints[0]
	if end.Path != "/metrics" || end.Authorization == nil || end.Authorization.Credentials.Name != "sabir-key" {
		t.Errorf("the endpoint is %+v", end)
	}
	var found []string
	for _, s := range o.services {
		if labels.SelectorFromSet(o.monitor.Spec.Selector.MatchLabels).Matches(labels.Set(s.Labels)) {
			found = append(found, s.Name)
			if s.Spec.Ports[0].Name != end.Port || s.Spec.Type == "LoadBalancer" {
				t.Errorf("the Service is %+v", s.Spec)
			}
		}
	}
	if len(found) != 1 {
		t.Errorf("Prometheus finds the Services %v", found)
	}
}

// Values that would be overwritten, or that are none of the chart's, are refused by the schema, and combinations by the templates.
func TestRefused(t *testing.T) {
	const config = "{upstreams: {}, routes: [], "
	for values, want := range map[string]string{
		"replica: 2": "additional properties 'replica'",
		"config: " + config + "listen: 0.0.0.0:1}":        "/config/listen",
		"config: " + config + "admin: \"\"}":              "/config/admin",
		"config: " + config + "store: {redis: {url: x}}}": "/config/store/redis/url",
		"config: " + config + "timeouts: {drain: 1s}}":    "/config/timeouts/drain",
		"adminSHA256: key":                                "/adminSHA256",
		"drainSeconds: 1m":                                "/drainSeconds",
		"{adminSHA256: " + strings.Repeat("a", 64) + ", serviceMonitor: {enabled: true}}": "serviceMonitor.keySecret",
	} {
		if _, _, err := render(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want one with %s", values, err, want)
		}
	}
}

// Replicas that share nothing are allowed, as not every route needs it, and said.
func TestNotes(t *testing.T) {
	const warning = "WARNING: there is more than one replica"
	for values, want := range map[string]bool{"": false, "replicas: 2": true, "autoscaling: {enabled: true}": true, "{replicas: 2, redis: {url: redis://r}}": false} {
		_, files, err := render(values)
		if err != nil || strings.Contains(files["sabir/templates/NOTES.txt"], warning) != want {
			t.Errorf("%s: %v\n%s", values, err, files["sabir/templates/NOTES.txt"])
		}
	}
}
