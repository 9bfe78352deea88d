// What is known of each dataset: its files with sizes and checksums, where they are published, and facts of its content.
import { join } from "node:path";
import { unknownName } from "@pliant/core";
import { cifarMembers, readCifarArchive, readCifarBatches } from "./cifar.js";
import type { Dataset } from "./dataset.js";
import { readIdx } from "./idx.js";

export interface KnownFile {
  /** Its path inside the dataset's folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sum: { readonly algorithm: "sha256" | "md5"; readonly hex: string };
}

/** A part of a dataset: the file that is published, or others that hold the same. */
export interface Piece {
  readonly download: KnownFile;
  readonly unpacked: readonly (readonly KnownFile[])[];
}

/** What is known of a published training set, to tell whether it was read rightly. */
export interface Facts {
  readonly firstLabels: readonly number[];
  /** Statistics of the training pixels divided by 255, one per channel. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
  readonly counts: readonly number[];
}

export interface SplitFacts {
  readonly train: Facts;
  readonly test: Pick<Facts, "firstLabels" | "counts">;
}

export interface KnownDataset {
  readonly name: string;
  readonly about: string;
  readonly pieces: readonly Piece[];
  /** Addresses to which a piece's path is appended; the official one first, then its mirrors. */
  readonly sources: readonly string[];
  readonly facts: SplitFacts;
  /** From the files of each piece, in one of its forms. */
  read(files: readonly (readonly string[])[]): Promise<Pick<Dataset, "train" | "test">>;
}

const sha256 = (path: string, bytes: number, hex: string): KnownFile => ({
  path,
  bytes,
  sum: { algorithm: "sha256", hex },
});

const idxPiece = (
  path: string,
  packed: readonly [number, string],
  plain: readonly [number, string],
): Piece => ({
  download: sha256(`${path}.gz`, ...packed),
  unpacked: [[sha256(path, ...plain)]],
});

const readIdxPieces =
  (classes: readonly string[]): KnownDataset["read"] =>
  async ([[trainImages], [trainLabels], [testImages], [testLabels]]) => ({
    train: await readIdx({ images: trainImages, labels: trainLabels }, { classes }),
    test: await readIdx({ images: testImages, labels: testLabels }, { classes }),
  });

const digitClasses = "0123456789".split("");
const fashionClasses = [
  "T-shirt/top",
  "Trouser",
  "Pullover",
  "Dress",
  "Coat",
  "Sandal",
  "Shirt",
  "Sneaker",
  "Bag",
  "Ankle boot",
];
const tenTimes = (count: number): number[] => Array(10).fill(count);

// biome-ignore format: a table
const mnist: KnownDataset = {
  name: "mnist",
  about: "handwritten digits, 60,000 + 10,000 grey images of 28×28 (LeCun, Cortes, Burges)",
  pieces: [
    idxPiece("train-images-idx3-ubyte",
      [9_912_422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"],
      [47_040_016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"]),
    idxPiece("train-labels-idx1-ubyte",
      [28_881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"],
      [60_008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"]),
    idxPiece("t10k-images-idx3-ubyte",
      [1_648_877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"],
      [7_840_016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"]),
    idxPiece("t10k-labels-idx1-ubyte",
      [4_542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"],
      [10_008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"]),
  ],
  sources: [
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
  ],
  facts: {
    train: {
      firstLabels: [5, 0, 4, 1, 9, 2, 1, 3, 1, 4],
      mean: [0.130660],
      std: [0.308108],
      counts: [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949],
    },
    test: {
      firstLabels: [7, 2, 1, 0, 4, 1, 4, 9, 5, 9],
      counts: [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009],
    },
  },
  read: readIdxPieces(digitClasses),
};

// biome-ignore format: a table
const fashionMnist: KnownDataset = {
  name: "fashion-mnist",
  about: "articles of clothing, 60,000 + 10,000 grey images of 28×28 (Zalando Research)",
  pieces: [
    idxPiece("train-images-idx3-ubyte",
      [26_421_880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"],
      [47_040_016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"]),
    idxPiece("train-labels-idx1-ubyte",
      [29_515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"],
      [60_008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"]),
    idxPiece("t10k-images-idx3-ubyte",
      [4_422_102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"],
      [7_840_016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"]),
    idxPiece("t10k-labels-idx1-ubyte",
      [5_148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"],
      [10_008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"]),
  ],
  sources: [
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
  ],
  facts: {
    train: {
      firstLabels: [9, 0, 0, 3, 0, 2, 7, 2, 5, 5],
      mean: [0.286041],
      std: [0.353024],
      counts: tenTimes(6000),
    },
    test: { firstLabels: [9, 2, 1, 1, 6, 1, 4, 6, 5, 7], counts: tenTimes(1000) },
  },
  read: readIdxPieces(fashionClasses),
};

const cifarSums = [
  "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
  "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
  "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
  "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
  "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
  "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
];
/** In the folder itself, or in the one that the archive unpacks to. */
const cifarUnpacked = ["", "cifar-10-batches-bin"].map((folder) =>
  cifarMembers.map((member, i) => sha256(join(folder, member), 30_730_000, cifarSums[i])),
);

const cifar10: KnownDataset = {
  name: "cifar-10",
  about: "photographs of ten kinds of things, 50,000 + 10,000 colour images of 32×32 (Krizhevsky)",
  pieces: [
    {
      download: {
        path: "cifar-10-binary.tar.gz",
        bytes: 170_052_171,
        sum: { algorithm: "md5", hex: "c32a1d4ab5d03f1284b67883e8d87530" },
      },
      unpacked: cifarUnpacked,
    },
  ],
  sources: ["https://www.cs.toronto.edu/~kriz/"],
  facts: {
    train: {
      firstLabels: [6, 9, 9, 4, 1, 1, 2, 7, 8, 3],
      mean: [0.4914, 0.482158, 0.446531],
      std: [0.247032, 0.243485, 0.261588],
      counts: tenTimes(5000),
    },
    test: { firstLabels: [3, 8, 8, 0, 6, 6, 1, 6, 3, 1], counts: tenTimes(1000) },
  },
  read: ([files]) => (files.length === 1 ? readCifarArchive(files[0]) : readCifarBatches(files)),
};

/** The datasets that are files; `strokes` is generated. */
export const catalogue: readonly KnownDataset[] = [mnist, fashionMnist, cifar10];
/** The datasets that can be asked for by name; `strokes` is made here and needs no download. */
export const datasetNames: readonly string[] = [...catalogue.map(({ name }) => name), "strokes"];

export function knownDataset(name: string): KnownDataset {
  const known = catalogue.find((dataset) => dataset.name === name);
  if (known === undefined) throw unknownName("a dataset", name, datasetNames);
  return known;
}
