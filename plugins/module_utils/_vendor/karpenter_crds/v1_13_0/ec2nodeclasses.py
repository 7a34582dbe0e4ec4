# SPDX-License-Identifier: Apache-2.0
# From github.com/aws/karpenter-provider-aws@v1.13.0, folder pkg/apis/crds (licence: LICENSE in the folder above).
# Written by scripts/refresh_karpenter_crds.py: do not edit.
"""The schema of spec in ec2nodeclasses.karpenter.k8s.aws, version v1, as JSON."""

TEXT = (
    '{"properties":{"amiFamily":{"enum":["AL2","AL2023","Bottlerocket","Custom","Windows2019","Windows2022",'
    '"Windows2025"],"type":"string"},"amiSelectorTerms":{"items":{"properties":{"alias":{"maxLength":30,'
    '"type":"string","x-kubernetes-validations":[{"message":"\'alias\' is improperly formatted,'
    ' must match the format \'family@version\'","rule":"self.matches(\'^[a-zA-Z0-9]+@.+$\')"},'
    "{\"message\":\"family is not supported, must be one of the following: 'al2', 'al2023', 'bottlerocket',"
    " 'windows2019', 'windows2022', 'windows2025'\",\"rule\":\"self.split('@')[0] in ['al2','al2023',"
    "'bottlerocket','windows2019','windows2022','windows2025']\"},"
    '{"message":"windows families may only specify version \'latest\'",'
    "\"rule\":\"self.split('@')[0] in ['windows2019','windows2022',"
    '\'windows2025\'] ? self.split(\'@\')[1] == \'latest\' : true"}]},"id":{"pattern":"ami-[0-9a-z]+",'
    '"type":"string"},"name":{"type":"string"},"owner":{"type":"string"},"ssmParameter":{"type":"string"},'
    '"tags":{"additionalProperties":{"type":"string"},"maxProperties":20,"type":"object",'
    '"x-kubernetes-validations":[{"message":"empty tag keys or values aren\'t supported","rule":"self.all(k,'
    ' k != \'\' && self[k] != \'\')"}]}},"type":"object"},"maxItems":30,"minItems":1,"type":"array",'
    "\"x-kubernetes-validations\":[{\"message\":\"expected at least one, got none, ['tags', 'id', 'name',"
    " 'alias', 'ssmParameter']\",\"rule\":\"self.all(x,"
    ' has(x.tags) || has(x.id) || has(x.name) || has(x.alias) || has(x.ssmParameter))"},'
    '{"message":"\'id\' is mutually exclusive,'
    ' cannot be set with a combination of other fields in amiSelectorTerms","rule":"!self.exists(x,'
    ' has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || has(x.owner)))"},'
    '{"message":"\'alias\' is mutually exclusive,'
    ' cannot be set with a combination of other fields in amiSelectorTerms","rule":"!self.exists(x,'
    ' has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || has(x.owner)))"},'
    '{"message":"\'alias\' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",'
    '"rule":"!(self.exists(x, has(x.alias)) && self.size() != 1)"}]},'
    '"associatePublicIPAddress":{"type":"boolean"},'
    '"blockDeviceMappings":{"items":{"properties":{"deviceName":{"type":"string"},'
    '"ebs":{"properties":{"deleteOnTermination":{"type":"boolean"},"encrypted":{"type":"boolean"},'
    '"iops":{"format":"int64","type":"integer"},"kmsKeyID":{"type":"string"},"snapshotID":{"type":"string"},'
    '"throughput":{"format":"int64","type":"integer"},"volumeInitializationRate":{"format":"int32","maximum":300,'
    '"minimum":100,"type":"integer"},"volumeSize":{"pattern":"^((?:[1-9][0-9]{0,'
    "3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,"
    '3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$",'
    '"type":"string"},"volumeType":{"enum":["standard","io1","io2","gp2","sc1","st1","gp3"],"type":"string"}},'
    '"type":"object","x-kubernetes-validations":[{"message":"snapshotID or volumeSize must be defined",'
    '"rule":"has(self.snapshotID) || has(self.volumeSize)"},'
    '{"message":"snapshotID must be set when volumeInitializationRate is set",'
    '"rule":"!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != \'\')"}]},'
    '"rootVolume":{"type":"boolean"}},"type":"object"},"maxItems":50,"type":"array",'
    '"x-kubernetes-validations":[{"message":"must have only one blockDeviceMappings with rootVolume",'
    '"rule":"self.filter(x, has(x.rootVolume)?x.rootVolume==true:false).size() <= 1"}]},'
    '"capacityReservationSelectorTerms":{"items":{"properties":{"id":{"pattern":"^cr-[0-9a-z]+$",'
    '"type":"string"},"instanceMatchCriteria":{"enum":["open","targeted"],"type":"string"},'
    '"ownerID":{"pattern":"^[0-9]{12}$","type":"string"},"tags":{"additionalProperties":{"type":"string"},'
    '"maxProperties":20,"type":"object",'
    '"x-kubernetes-validations":[{"message":"empty tag keys or values aren\'t supported","rule":"self.all(k,'
    ' k != \'\' && self[k] != \'\')"}]}},"type":"object"},"maxItems":30,"type":"array",'
    '"x-kubernetes-validations":[{"message":"expected at least one, got none, [\'tags\', \'id\','
    ' \'instanceMatchCriteria\']","rule":"self.all(x,'
    ' has(x.tags) || has(x.id) || has(x.instanceMatchCriteria))"},{"message":"\'id\' is mutually exclusive,'
    ' cannot be set along with other fields in a capacity reservation selector term","rule":"!self.all(x,'
    ' has(x.id) && (has(x.tags) || has(x.ownerID) || has(x.instanceMatchCriteria)))"}]},'
    '"connectionTracking":{"properties":{"tcpEstablishedTimeout":{"format":"int32","maximum":432000,"minimum":60,'
    '"type":"integer"},"udpStreamTimeout":{"format":"int32","maximum":180,"minimum":60,"type":"integer"},'
    '"udpTimeout":{"format":"int32","maximum":60,"minimum":30,"type":"integer"}},"type":"object",'
    '"x-kubernetes-validations":[{"message":"at least one of tcpEstablishedTimeout, udpStreamTimeout,'
    ' or udpTimeout must be set",'
    '"rule":"has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)"}]},'
    '"context":{"type":"string"},"cpuOptions":{"properties":{"nestedVirtualization":{"enum":["enabled",'
    '"disabled"],"type":"string"}},"type":"object"},"detailedMonitoring":{"type":"boolean"},'
    '"instanceProfile":{"type":"string","x-kubernetes-validations":[{"message":"instanceProfile cannot be empty",'
    '"rule":"self != \'\'"}]},"instanceStorePolicy":{"enum":["RAID0"],"type":"string"},'
    '"ipPrefixCount":{"format":"int32","minimum":0,"type":"integer"},'
    '"kubelet":{"properties":{"clusterDNS":{"items":{"type":"string"},"type":"array"},'
    '"cpuCFSQuota":{"type":"boolean"},"evictionHard":{"additionalProperties":{"pattern":"^((\\\\d{1,2}(\\\\.\\\\'
    "d{1,2})?|100(\\\\.0{1,2})?)%||(\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\"
    '.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\.[0-9]+))))?)$",'
    '"type":"string"},"type":"object",'
    '"x-kubernetes-validations":[{"message":"valid keys for evictionHard are [\'memory.available\','
    "'nodefs.available','nodefs.inodesFree','imagefs.available','imagefs.inodesFree','pid.available']\","
    "\"rule\":\"self.all(x, x in ['memory.available','nodefs.available','nodefs.inodesFree',"
    "'imagefs.available','imagefs.inodesFree','pid.available'])\"}]},"
    '"evictionMaxPodGracePeriod":{"format":"int32","type":"integer"},'
    '"evictionSoft":{"additionalProperties":{"pattern":"^((\\\\d{1,2}(\\\\.\\\\d{1,2})?|100(\\\\.0{1,2})?)%||('
    "\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\\\+|-)?(([0-9]+(\\\\"
    '.[0-9]*)?)|(\\\\.[0-9]+))))?)$","type":"string"},"type":"object",'
    '"x-kubernetes-validations":[{"message":"valid keys for evictionSoft are [\'memory.available\','
    "'nodefs.available','nodefs.inodesFree','imagefs.available','imagefs.inodesFree','pid.available']\","
    "\"rule\":\"self.all(x, x in ['memory.available','nodefs.available','nodefs.inodesFree',"
    "'imagefs.available','imagefs.inodesFree','pid.available'])\"}]},"
    '"evictionSoftGracePeriod":{"additionalProperties":{"type":"string"},"type":"object",'
    '"x-kubernetes-validations":[{"message":"valid keys for evictionSoftGracePeriod are [\'memory.available\','
    "'nodefs.available','nodefs.inodesFree','imagefs.available','imagefs.inodesFree','pid.available']\","
    "\"rule\":\"self.all(x, x in ['memory.available','nodefs.available','nodefs.inodesFree',"
    "'imagefs.available','imagefs.inodesFree','pid.available'])\"}]},"
    '"imageGCHighThresholdPercent":{"format":"int32","maximum":100,"minimum":0,"type":"integer"},'
    '"imageGCLowThresholdPercent":{"format":"int32","maximum":100,"minimum":0,"type":"integer"},'
    '"kubeReserved":{"additionalProperties":{"pattern":"^(\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\'
    '.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\.[0-9]+))))?$",'
    '"type":"string"},"type":"object",'
    '"x-kubernetes-validations":[{"message":"valid keys for kubeReserved are [\'cpu\',\'memory\','
    "'ephemeral-storage','pid']\",\"rule\":\"self.all(x,"
    " x=='cpu' || x=='memory' || x=='ephemeral-storage' || x=='pid')\"},"
    '{"message":"kubeReserved value cannot be a negative resource quantity","rule":"self.all(x,'
    ' !self[x].startsWith(\'-\'))"}]},"maxPods":{"format":"int32","minimum":0,"type":"integer"},'
    '"podsPerCore":{"format":"int32","minimum":0,"type":"integer"},'
    '"systemReserved":{"additionalProperties":{"pattern":"^(\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\'
    '.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\\\+|-)?(([0-9]+(\\\\.[0-9]*)?)|(\\\\.[0-9]+))))?$",'
    '"type":"string"},"type":"object",'
    '"x-kubernetes-validations":[{"message":"valid keys for systemReserved are [\'cpu\',\'memory\','
    "'ephemeral-storage','pid']\",\"rule\":\"self.all(x,"
    " x=='cpu' || x=='memory' || x=='ephemeral-storage' || x=='pid')\"},"
    '{"message":"systemReserved value cannot be a negative resource quantity","rule":"self.all(x,'
    ' !self[x].startsWith(\'-\'))"}]}},"type":"object",'
    '"x-kubernetes-validations":[{"message":"imageGCHighThresholdPercent must be greater than imageGCLowT'
    'hresholdPercent",'
    '"rule":"has(self.imageGCHighThresholdPercent) && has(self.imageGCLowThresholdPercent) ?  self.imageG'
    'CHighThresholdPercent > self.imageGCLowThresholdPercent  : true"},'
    '{"message":"evictionSoft OwnerKey does not have a matching evictionSoftGracePeriod",'
    '"rule":"has(self.evictionSoft) ? self.evictionSoft.all(e, (e in self.evictionSoftGracePeriod)):true"},'
    '{"message":"evictionSoftGracePeriod OwnerKey does not have a matching evictionSoft",'
    '"rule":"has(self.evictionSoftGracePeriod) ? self.evictionSoftGracePeriod.all(e,'
    ' (e in self.evictionSoft)):true"}]},"metadataOptions":{"default":{"httpEndpoint":"enabled",'
    '"httpProtocolIPv6":"disabled","httpPutResponseHopLimit":1,"httpTokens":"required"},'
    '"properties":{"httpEndpoint":{"default":"enabled","enum":["enabled","disabled"],"type":"string"},'
    '"httpProtocolIPv6":{"default":"disabled","enum":["enabled","disabled"],"type":"string"},'
    '"httpPutResponseHopLimit":{"default":1,"format":"int64","maximum":64,"minimum":1,"type":"integer"},'
    '"httpTokens":{"default":"required","enum":["required","optional"],"type":"string"}},"type":"object"},'
    '"networkInterfaces":{"items":{"properties":{"deviceIndex":{"format":"int32","minimum":0,"type":"integer"},'
    '"interfaceType":{"enum":["interface","efa-only"],"type":"string"},"networkCardIndex":{"format":"int32",'
    '"minimum":0,"type":"integer"}},"required":["deviceIndex","interfaceType","networkCardIndex"],'
    '"type":"object"},"maxItems":150,"type":"array",'
    '"x-kubernetes-validations":[{"message":"networkInterfaces must include a primary interface with inte'
    'rfaceType=\'interface\'","rule":"self.size() == 0 || self.exists(x,'
    " x.deviceIndex == 0 && x.networkCardIndex == 0 && x.interfaceType == 'interface')\"},"
    '{"message":"networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs,'
    ' and can have at most one efa device per network card","rule":"self.all(x, self.filter(y,'
    " x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex).size() == 1 && (x.inter"
    "faceType != 'efa-only' || self.filter(y,"
    " x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1))\"}]},"
    '"placementGroupSelector":{"properties":{"id":{"pattern":"^pg-[0-9a-z]+$","type":"string"},'
    '"name":{"minLength":1,"type":"string"}},"type":"object",'
    '"x-kubernetes-validations":[{"message":"expected at least one, got none, [\'name\', \'id\']",'
    '"rule":"has(self.name) || has(self.id)"},{"message":"\'name\' and \'id\' are mutually exclusive",'
    '"rule":"!(has(self.name) && has(self.id))"}]},"role":{"type":"string",'
    '"x-kubernetes-validations":[{"message":"role cannot be empty","rule":"self != \'\'"}]},'
    '"securityGroupSelectorTerms":{"items":{"properties":{"id":{"pattern":"sg-[0-9a-z]+","type":"string"},'
    '"name":{"type":"string"},"tags":{"additionalProperties":{"type":"string"},"maxProperties":20,'
    '"type":"object","x-kubernetes-validations":[{"message":"empty tag keys or values aren\'t supported",'
    '"rule":"self.all(k, k != \'\' && self[k] != \'\')"}]}},"type":"object"},"maxItems":30,"type":"array",'
    '"x-kubernetes-validations":[{"message":"securityGroupSelectorTerms cannot be empty",'
    '"rule":"self.size() != 0"},{"message":"expected at least one, got none, [\'tags\', \'id\', \'name\']",'
    '"rule":"self.all(x, has(x.tags) || has(x.id) || has(x.name))"},{"message":"\'id\' is mutually exclusive,'
    ' cannot be set with a combination of other fields in a security group selector term","rule":"!self.all(x,'
    ' has(x.id) && (has(x.tags) || has(x.name)))"},{"message":"\'name\' is mutually exclusive,'
    ' cannot be set with a combination of other fields in a security group selector term","rule":"!self.all(x,'
    ' has(x.name) && (has(x.tags) || has(x.id)))"}]},'
    '"subnetSelectorTerms":{"items":{"properties":{"id":{"pattern":"subnet-[0-9a-z]+","type":"string"},'
    '"tags":{"additionalProperties":{"type":"string"},"maxProperties":20,"type":"object",'
    '"x-kubernetes-validations":[{"message":"empty tag keys or values aren\'t supported","rule":"self.all(k,'
    ' k != \'\' && self[k] != \'\')"}]}},"type":"object"},"maxItems":30,"type":"array",'
    '"x-kubernetes-validations":[{"message":"subnetSelectorTerms cannot be empty","rule":"self.size() != 0"},'
    '{"message":"expected at least one, got none, [\'tags\', \'id\']","rule":"self.all(x,'
    ' has(x.tags) || has(x.id))"},{"message":"\'id\' is mutually exclusive,'
    ' cannot be set with a combination of other fields in a subnet selector term","rule":"!self.all(x,'
    ' has(x.id) && has(x.tags))"}]},"tags":{"additionalProperties":{"type":"string"},"type":"object",'
    '"x-kubernetes-validations":[{"message":"empty tag keys aren\'t supported","rule":"self.all(k, k != \'\')"},'
    '{"message":"tag contains a restricted tag matching eks:eks-cluster-name","rule":"self.all(k,'
    ' k !=\'eks:eks-cluster-name\')"},{"message":"tag contains a restricted tag matching kubernetes.io/cluster/",'
    '"rule":"self.all(k, !k.startsWith(\'kubernetes.io/cluster\') )"},'
    '{"message":"tag contains a restricted tag matching karpenter.sh/nodepool","rule":"self.all(k,'
    " k != 'karpenter.sh/nodepool')\"},"
    '{"message":"tag contains a restricted tag matching karpenter.sh/nodeclaim","rule":"self.all(k,'
    " k !='karpenter.sh/nodeclaim')\"},"
    '{"message":"tag contains a restricted tag matching karpenter.k8s.aws/ec2nodeclass","rule":"self.all(k,'
    ' k !=\'karpenter.k8s.aws/ec2nodeclass\')"}]},"userData":{"type":"string"}},"required":["amiSelectorTerms",'
    '"securityGroupSelectorTerms","subnetSelectorTerms"],"type":"object",'
    '"x-kubernetes-validations":[{"message":"must specify exactly one of [\'role\', \'instanceProfile\']",'
    '"rule":"(has(self.role) && !has(self.instanceProfile)) || (!has(self.role) && has(self.instanceProfile))"},'
    "{\"message\":\"if set, amiFamily must be 'AL2' or 'Custom' when using an AL2 alias\","
    '"rule":"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x,'
    " has(x.alias) && x.alias.find('^[^@]+') == 'al2') ? (self.amiFamily == 'Custom' || self.amiFamily =="
    ' \'AL2\') : true)"},{"message":"if set,'
    " amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias\","
    '"rule":"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x,'
    " has(x.alias) && x.alias.find('^[^@]+') == 'al2023') ? (self.amiFamily == 'Custom' || self.amiFamily"
    ' == \'AL2023\') : true)"},{"message":"if set,'
    " amiFamily must be 'Bottlerocket' or 'Custom' when using a Bottlerocket alias\","
    '"rule":"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x,'
    " has(x.alias) && x.alias.find('^[^@]+') == 'bottlerocket') ? (self.amiFamily == 'Custom' || self.ami"
    'Family == \'Bottlerocket\') : true)"},{"message":"if set,'
    " amiFamily must be 'Windows2019' or 'Custom' when using a Windows2019 alias\","
    '"rule":"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x,'
    " has(x.alias) && x.alias.find('^[^@]+') == 'windows2019') ? (self.amiFamily == 'Custom' || self.amiF"
    'amily == \'Windows2019\') : true)"},{"message":"if set,'
    " amiFamily must be 'Windows2022' or 'Custom' when using a Windows2022 alias\","
    '"rule":"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x,'
    " has(x.alias) && x.alias.find('^[^@]+') == 'windows2022') ? (self.amiFamily == 'Custom' || self.amiF"
    'amily == \'Windows2022\') : true)"},{"message":"if set,'
    " amiFamily must be 'Windows2025' or 'Custom' when using a Windows2025 alias\","
    '"rule":"!has(self.amiFamily) || (self.amiSelectorTerms.exists(x,'
    " has(x.alias) && x.alias.find('^[^@]+') == 'windows2025') ? (self.amiFamily == 'Custom' || self.amiF"
    "amily == 'Windows2025') : true)\"},"
    '{"message":"must specify amiFamily if amiSelectorTerms does not contain an alias",'
    '"rule":"self.amiSelectorTerms.exists(x, has(x.alias)) ? true : has(self.amiFamily)"}]}'
)
