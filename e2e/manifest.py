"""Checks a Kubernetes manifest: against the schemas of Kubernetes, and that no pod has more rights than it needs.

    manifest.py FILE

Prints one line for each object, or ends with status 1 and one line for each defect.
"""

import sys

import kubernetes_validate
import yaml

# The oldest and the newest version of the package.
VERSIONS = ["1.25", "1.37"]


def main(path):
    with open(path) as file:
        objects = list(yaml.safe_load_all(file))
    defects = [defect for one in objects for defect in [*schema_defects(one), *pod_defects(one)]]
    for defect in defects:
        print(defect, file=sys.stderr)
    for one in [] if defects else objects:
        print(name_of(one))
    return 1 if defects else 0


def name_of(one):
    return f"{one['kind']}/{one['metadata']['name']}"


def schema_defects(one):
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as why:
            place = ".".join(str(part) for part in why.path)
            yield f"{name_of(one)} ({version}): {place}: {why.message}"


def pod_defects(one):
    pod = one.get("spec", {}).get("template", {}).get("spec")
    if pod is None:
        return
    for what, holds in pod_rules(pod).items():
        if not holds:
            yield f"{name_of(one)}: {what}"
    for container in pod["containers"]:
        for what, holds in container_rules(container, pod).items():
            if not holds:
                yield f"{name_of(one)}: container {container['name']}: {what}"


def pod_rules(pod):
    context = pod.get("securityContext", {})
    volumes = pod.get("volumes", [])
    return {
        "mounts a token of the service account": pod.get("automountServiceAccountToken") is False,
        "may run as root": context.get("runAsNonRoot") is True and context.get("runAsUser", 0) > 0,
        "has no seccomp profile": context.get("seccompProfile", {}).get("type") == "RuntimeDefault",
        "shares a namespace of the node": not any(pod.get(f"host{of}") for of in ("Network", "PID", "IPC")),
        "mounts a folder of the node": not any("hostPath" in volume for volume in volumes),
        "has a scratch folder without a limit": all(volume["emptyDir"].get("sizeLimit") for volume in volumes if "emptyDir" in volume),
    }


def container_rules(container, pod):
    context = container.get("securityContext", {})
    resources = container.get("resources", {})
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    return {
        "can write to its root": context.get("readOnlyRootFilesystem") is True,
        "can gain privileges": context.get("allowPrivilegeEscalation") is False and not context.get("privileged"),
        "has capabilities": context.get("capabilities", {}).get("drop") == ["ALL"] and "add" not in context["capabilities"],
        "has no limits": {"cpu", "memory"} == set(resources.get("limits", {})) == set(resources.get("requests", {})),
        "mounts a volume that is missing": {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes,
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
