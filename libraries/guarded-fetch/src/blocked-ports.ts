/** Ports of other protocols, which an HTTP request could attack: the bad ports of the Fetch standard. */
const BAD_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Ports of services that no public endpoint uses. */
const INTERNAL_PORTS = {
  remoteAdministration: [88, 445, 873, 3389, 5900, 5985, 5986],
  proxies: [1080, 3128],
  sqlDatabases: [1433, 1434, 1521, 3050, 3306, 5432, 5433, 6432, 26257],
  otherDatabases: [5984, 6984, 7473, 7474, 7687, 8086, 8529, 9042, 9160, 27017, 27018, 27019, 28017],
  caches: [6379, 6380, 11211, 26379],
  search: [9200, 9300],
  brokers: [2181, 4222, 4369, 5671, 5672, 6650, 9092, 9093, 15672, 25672],
  containers: [2375, 2376, 2377, 2379, 2380, 6443, 10250, 10255, 10256],
  configurationAndSecrets: [4505, 4506, 8200, 8300, 8301, 8302, 8500, 8501, 8502],
  clustersAndMonitoring: [7000, 7001, 7199, 9100],
};

export const BLOCKED_PORTS: ReadonlySet<number> = new Set([...BAD_PORTS, ...Object.values(INTERNAL_PORTS).flat()]);
