# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of the node classes that karpenter_nodepools takes."""

from __future__ import annotations


class ModuleDocFragment:
    """EC2NodeClasses, with Karpenter's names in snake case."""

    DOCUMENTATION = r"""
options:
  node_classes:
    description: The EC2NodeClasses. For O(state=absent) their names are enough.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the class.
        type: str
        required: true
      labels:
        description: Labels of the class itself, not of its nodes.
        type: dict
      annotations:
        description: Annotations of the class itself, not of its nodes.
        type: dict
      ami_family:
        description: Family of the images, such as V(AL2023). Needed unless an alias says it. It belongs to the pin.
        type: str
      ami_selector_terms:
        description:
          - Which images nodes start from.
          - A class that exists keeps the terms that it has, a difference is a notice.
          - Not stated, the class has to exist, or see O(unpinned_action).
        type: list
        elements: dict
        suboptions:
          alias:
            description: Family and release, such as V(al2023@v20261106). It stands alone.
            type: str
          id:
            description: Id of an image. It stands alone.
            type: str
          name:
            description: Name of images.
            type: str
          owner:
            description: Owner of the images that are named.
            type: str
          ssm_parameter:
            description: Name or ARN of an SSM parameter that holds an id.
            type: str
          tags:
            description: Tags of the images.
            type: dict
      subnet_selector_terms:
        description: Which subnets nodes start in. Needed for state V(present).
        type: list
        elements: dict
        suboptions:
          id:
            description: Id of a subnet.
            type: str
          tags:
            description: Tags of subnets.
            type: dict
      security_group_selector_terms:
        description: Which security groups nodes get. Needed for state V(present).
        type: list
        elements: dict
        suboptions:
          id:
            description: Id of a group.
            type: str
          name:
            description: Name of groups, not their Name tag.
            type: str
          tags:
            description: Tags of groups.
            type: dict
      capacity_reservation_selector_terms:
        description: Which capacity reservations may be used.
        type: list
        elements: dict
        suboptions:
          id:
            description: Id of a reservation.
            type: str
          owner_id:
            description: Account that owns the reservations.
            type: str
          instance_match_criteria:
            description: V(open) or V(targeted).
            type: str
          tags:
            description: Tags of reservations.
            type: dict
      placement_group_selector:
        description: Placement group of the nodes.
        type: dict
        suboptions:
          id:
            description: Id of the group.
            type: str
          name:
            description: Name of the group.
            type: str
      role:
        description: Name of the nodes' role. This or O(node_classes[].instance_profile).
        type: str
      instance_profile:
        description: Name of an instance profile that exists. This or O(node_classes[].role).
        type: str
      tags:
        description: Tags of what Karpenter makes in EC2.
        type: dict
      user_data:
        description: User data, merged with Karpenter's own.
        type: str
      associate_public_ip_address:
        description: Whether nodes get a public address.
        type: bool
      detailed_monitoring:
        description: Whether instances have detailed monitoring.
        type: bool
      instance_store_policy:
        description: V(RAID0) joins the instance's own disks.
        type: str
      ip_prefix_count:
        description: Number of prefixes for the primary interface.
        type: int
      context:
        description: Reserved context of EC2 fleets.
        type: str
      cpu_options:
        description: Options of the CPU.
        type: dict
        suboptions:
          nested_virtualization:
            description: V(enabled) or V(disabled).
            type: str
      connection_tracking:
        description: Time-outs of tracked connections, in seconds.
        type: dict
        suboptions:
          tcp_established_timeout:
            description: For established TCP connections.
            type: int
          udp_stream_timeout:
            description: For UDP streams.
            type: int
          udp_timeout:
            description: For single UDP exchanges.
            type: int
      network_interfaces:
        description: Network interfaces of the instances.
        type: list
        elements: dict
        suboptions:
          network_card_index:
            description: Index of the network card.
            type: int
          device_index:
            description: Index of the device.
            type: int
          interface_type:
            description: V(interface) or V(efa-only).
            type: str
      metadata_options:
        description: How the instance metadata service is reached.
        type: dict
        suboptions:
          http_endpoint:
            description: V(enabled) or V(disabled).
            type: str
          http_protocol_ipv6:
            description: V(enabled) or V(disabled).
            type: str
          http_put_response_hop_limit:
            description: How many hops an answer may take. Karpenter's default is 1.
            type: int
          http_tokens:
            description: V(required) or V(optional).
            type: str
      block_device_mappings:
        description: Volumes of the instances.
        type: list
        elements: dict
        suboptions:
          device_name:
            description: Name of the device.
            type: str
          root_volume:
            description: Whether it is the volume that the kubelet uses.
            type: bool
          ebs:
            description: The EBS volume.
            type: dict
            suboptions:
              delete_on_termination:
                description: Whether it goes with the instance.
                type: bool
              encrypted:
                description: Whether it is encrypted.
                type: bool
              iops:
                description: Operations per second.
                type: int
              kms_key_id:
                description: Key that encrypts it.
                type: str
              snapshot_id:
                description: Snapshot that it is made of.
                type: str
              throughput:
                description: Throughput in MiB per second.
                type: int
              volume_initialization_rate:
                description: Rate at which a snapshot is loaded, in MiB per second.
                type: int
              volume_size:
                description: Size as a quantity, such as V(80Gi).
                type: str
              volume_type:
                description: Type, such as V(gp3).
                type: str
      kubelet:
        description: Settings of the kubelet.
        type: dict
        suboptions:
          cluster_dns:
            description: Addresses of the cluster's DNS.
            type: list
            elements: str
          cpu_cfs_quota:
            description: Whether CPU limits are enforced by quota.
            type: bool
          eviction_hard:
            description: Thresholds of immediate eviction, by signal.
            type: dict
          eviction_max_pod_grace_period:
            description: Longest grace period of a soft eviction, in seconds.
            type: int
          eviction_soft:
            description: Thresholds of eviction with a grace period, by signal.
            type: dict
          eviction_soft_grace_period:
            description: Grace periods, by signal.
            type: dict
          image_gc_high_threshold_percent:
            description: Disk use in percent that starts removal of images.
            type: int
          image_gc_low_threshold_percent:
            description: Disk use in percent down to which images are removed.
            type: int
          kube_reserved:
            description: What is kept for Kubernetes, by resource.
            type: dict
          max_pods:
            description: Most pods of a node.
            type: int
          pods_per_core:
            description: Most pods for each core.
            type: int
          system_reserved:
            description: What is kept for the system, by resource.
            type: dict
      ami_release:
        description: The dated release that the pinned ids belong to. It is kept in annotation C(eksops.io/ami-release).
        type: str
      ami_architectures:
        description: Architectures of the pinned images, to be compared with what the pools allow.
        type: list
        elements: str
"""
