// Package helm holds the tests of what is deployed on Kubernetes: the chart, as Helm itself renders it, and deploy/kubernetes. Each object
// is read by the types of Kubernetes, which refuse what they do not know. It is a module of its own, so that Sabir needs none of this.
package helm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// objects are those of one deployment.
type objects struct {
	deployment apps.Deployment
	configs    map[string]core.ConfigMap
	secrets    map[string]core.Secret
	services   []core.Service
	policies   []networking.NetworkPolicy
	scaler     *autoscaling.HorizontalPodAutoscaler
	budget     *policy.PodDisruptionBudget
	monitor    *monitoring.ServiceMonitor
}

// read takes documents of YAML apart. What has a member that its kind does not have is refused, and so is what no test looks at.
func read(t *testing.T, text string) *objects {
	t.Helper()
	o := &objects{configs: map[string]core.ConfigMap{}, secrets: map[string]core.Secret{}}
	for _, document := range strings.Split("\n"+text, "\n---") {
		var head struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(document), &head); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if head.Kind == "" {
			continue // comments
		}
		into := func(object any) {
			t.Helper()
			if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
				t.Errorf("%s %s: %v", head.Kind, head.Metadata.Name, err)
			}
		}
		switch head.APIVersion + " " + head.Kind {
		case "apps/v1 Deployment":
			into(&o.deployment)
		case "v1 ConfigMap":
			var c core.ConfigMap
			into(&c)
			o.configs[c.Name] = c
		case "v1 Secret":
			var s core.Secret
			into(&s)
			o.secrets[s.Name] = s
		case "v1 Service":
			var s core.Service
			into(&s)
			o.services = append(o.services, s)
		case "v1 ServiceAccount":
			into(new(core.ServiceAccount))
		case "networking.k8s.io/v1 NetworkPolicy":
			var p networking.NetworkPolicy
			into(&p)
			o.policies = append(o.policies, p)
		case "autoscaling/v2 HorizontalPodAutoscaler":
			o.scaler = new(autoscaling.HorizontalPodAutoscaler)
			into(o.scaler)
		case "policy/v1 PodDisruptionBudget":
			o.budget = new(policy.PodDisruptionBudget)
			into(o.budget)
		case "monitoring.coreos.com/v1 ServiceMonitor":
			o.monitor = new(monitoring.ServiceMonitor)
			into(o.monitor)
		default:
			t.Errorf("%s %s %s: no test knows this kind", head.APIVersion, head.Kind, head.Metadata.Name)
		}
	}
	return o
}

// served is what a test wants to know of a configuration.
type served struct {
	Listen, Admin string
	Timeouts      struct{ Drain string }
}

// checkPod checks what runs: its configuration, and that probes, ports and times fit to it. It gives the configuration.
func (o *objects) checkPod(t *testing.T, environ ...string) served {
	t.Helper()
	pod := o.deployment.Spec.Template.Spec
	i := slices.IndexFunc(pod.Containers, func(c core.Container) bool { return c.Name == "sabir" })
	if i < 0 {
		t.Fatal("there is no container sabir")
	}
	sabir := pod.Containers[i]
	s := o.checkConfig(t, &pod, &sabir, environ)
	ports := map[string]string{}
	for _, p := range sabir.Ports {
		ports[p.Name] = strconv.Itoa(int(p.ContainerPort))
	}
	for name, address := range map[string]string{"http": s.Listen, "admin": s.Admin} {
		if address != "0.0.0.0:"+ports[name] {
			t.Errorf("the port %s is %s, the configuration has %s", name, ports[name], address)
		}
	}
	checkProbes(t, &sabir)
	checkTimes(t, &pod, &sabir, s)
	checkConfined(t, &pod)
	o.checkServices(t, ports)
	return s
}

// checkConfig has sabir check read the configuration that the container gets, with the environment that it gets.
func (o *objects) checkConfig(t *testing.T, pod *core.PodSpec, sabir *core.Container, environ []string) (s served) {
	t.Helper()
	if len(sabir.Args) != 3 || sabir.Args[0] != "serve" || sabir.Args[1] != "--config" {
		t.Fatalf("the arguments are %q", sabir.Args)
	}
	folder, name := filepath.Split(sabir.Args[2])
	i := slices.IndexFunc(sabir.VolumeMounts, func(m core.VolumeMount) bool { return m.MountPath+"/" == folder && m.SubPath == "" })
	if i < 0 {
		t.Fatalf("nothing is mounted at %s", folder)
	}
	j := slices.IndexFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == sabir.VolumeMounts[i].Name && v.ConfigMap != nil })
	if j < 0 {
		t.Fatalf("there is no volume %s with a ConfigMap", sabir.VolumeMounts[i].Name)
	}
	text, is := o.configs[pod.Volumes[j].ConfigMap.Name].Data[name]
	if !is {
		t.Fatalf("the ConfigMap %s has no %s", pod.Volumes[j].ConfigMap.Name, name)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "check", "--config", path)
	cmd.Env = append(environ, o.environ(t, sabir)...)
	if said, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(said, []byte("is fine")) {
		t.Errorf("sabir check: %v\n%s\n%s", err, said, text)
	}
	if err := yaml.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// environ is what a container gets by Secrets that are deployed with it, and by values.
func (o *objects) environ(t *testing.T, c *core.Container) (list []string) {
	for _, from := range c.EnvFrom {
		for name, value := range o.secrets[from.SecretRef.Name].StringData {
			list = append(list, name+"="+value)
		}
	}
	for _, v := range c.Env {
		if v.ValueFrom == nil {
			list = append(list, v.Name+"="+v.Value)
		} else if key := v.ValueFrom.SecretKeyRef; key.Optional == nil || !*key.Optional {
			t.Errorf("%s needs the Secret %s, which is not deployed", v.Name, key.Name)
		}
	}
	return list
}

func checkProbes(t *testing.T, c *core.Container) {
	t.Helper()
	for _, p := range []struct {
		name, path string
		*core.Probe
	}{{"startup", "/healthz", c.StartupProbe}, {"liveness", "/healthz", c.LivenessProbe}, {"readiness", "/readyz", c.ReadinessProbe}} {
		if p.Probe == nil || p.HTTPGet == nil || p.HTTPGet.Path != p.path || p.HTTPGet.Port != intstr.FromString("admin") {
			t.Errorf("the %s probe is %v, want %s of the port admin", p.name, p.Probe, p.path)
		}
	}
}

// checkTimes wants a pod to have the time that its streams may take.
func checkTimes(t *testing.T, pod *core.PodSpec, c *core.Container, s served) {
	t.Helper()
	drain, err := time.ParseDuration(s.Timeouts.Drain)
	if err != nil {
		t.Fatal(err)
	}
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Sleep == nil {
		t.Fatal("there is no preStop that sleeps")
	}
	before := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; before < time.Second || grace < before+drain+5*time.Second {
		t.Errorf("a pod has %v to end, of which preStop takes %v and the drain %v", grace, before, drain)
	}
}

func checkConfined(t *testing.T, pod *core.PodSpec) {
	t.Helper()
	if *pod.AutomountServiceAccountToken || !*pod.SecurityContext.RunAsNonRoot || *pod.SecurityContext.RunAsUser != 65534 {
		t.Errorf("the pod is not confined: %v", pod.SecurityContext)
	}
	for _, c := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
		s := c.SecurityContext
		if s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
			t.Errorf("the container %s is not confined: %v", c.Name, s)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("the container %s has the resources %v", c.Name, c.Resources)
		}
	}
}

// checkServices wants selectors to find the pods, and ports that are there.
func (o *objects) checkServices(t *testing.T, ports map[string]string) {
	t.Helper()
	finds := func(name string, selector map[string]string) {
		t.Helper()
		for key, value := range selector {
			if len(selector) == 0 || o.deployment.Spec.Template.Labels[key] != value {
				t.Errorf("%s selects %s=%s, pods have %v", name, key, value, o.deployment.Spec.Template.Labels)
			}
		}
	}
	finds("the Deployment", o.deployment.Spec.Selector.MatchLabels)
	for _, s := range o.services {
		finds(s.Name, s.Spec.Selector)
		for _, p := range s.Spec.Ports {
			if ports[p.TargetPort.String()] == "" {
				t.Errorf("the Service %s leads to the port %s, which is none of %v", s.Name, p.TargetPort.String(), ports)
			}
		}
	}
	if len(o.services) == 0 {
		t.Error("there is no Service")
	}
}
