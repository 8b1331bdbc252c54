// Opens exported trees with readers that are not ours and compares them with what Windfall says is in them.
//
//   node check.mjs FILE.glb FILE.obj ...     each with FILE.json, a SkinReport, beside it
//
// GLB files go through Khronos' validator and three.js, OBJ files through three.js. Clips of moving trees are played by three.js; where
// FILE.json has `moments`, skinned vertices are held against them.

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AnimationMixer, Box3, LoadingManager, Loader, Texture, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { MTLLoader } from "three/addons/loaders/MTLLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import validator from "gltf-validator";

let failures = 0;
function expect(good, what) {
  if (good) return;
  failures += 1;
  console.error(`  WRONG: ${what}`);
}
function same(found, expected, what) {
  expect(found === expected, `${what}: found ${found}, expected ${expected}`);
}
// Compares a box with the bounds of a part, both in world metres.
function sameBounds(box, part, tolerance, what) {
  for (const corner of ["min", "max"]) {
    const [found, expected] = [box[corner].toArray(), part[corner]];
    const off = Math.max(...found.map((x, i) => Math.abs(x - expected[i])));
    expect(off <= tolerance, `${what}: ${corner} is [${found}], expected [${expected}]`);
  }
}

// Width and height of a PNG file, from its header.
function pngSize(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  expect(view.getUint32(0) === 0x89504e47 && view.getUint32(12) === 0x49484452, "an image is not a PNG file");
  return { width: view.getUint32(16), height: view.getUint32(20) };
}
// Node can't decode images; a texture of the right size stands for one.
function textureOf(bytes) {
  const texture = new Texture(pngSize(bytes));
  texture.userData.size = pngSize(bytes);
  return texture;
}
function sameTexture(texture, material, what, name) {
  const expected = material.images.find((image) => image.what === what);
  const size = texture?.userData.size;
  same(size && `${size.width}x${size.height}`, expected && `${expected.width}x${expected.height}`, `${name} ${what}`);
}

// Tangents would make files a third larger; readers compute them where they need them, as glTF says.
const ACCEPTED = ["MESH_PRIMITIVE_GENERATED_TANGENT_SPACE"];

async function validate(bytes) {
  const { issues } = await validator.validateBytes(bytes, { maxIssues: 0 });
  console.log(`  validator: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ` +
    `${issues.numInfos} infos, ${issues.numHints} hints`);
  const firsts = new Map(issues.messages.toReversed().map((issue) => [issue.code, issue]));
  for (const { code, severity, message, pointer } of firsts.values()) {
    console.log(`    ${["error", "warning", "info", "hint"][severity]} ${code} ${pointer}: ${message}`);
  }
  same(issues.numErrors, 0, "errors of the validator");
  const unknown = issues.messages.filter(({ code, severity }) => severity === 1 && !ACCEPTED.includes(code));
  same(unknown.length, 0, "warnings of the validator");
}

async function load(path) {
  const bytes = readFileSync(path);
  await validate(new Uint8Array(bytes));
  const loader = new GLTFLoader();
  loader.register((parser) => ({
    name: "images without a browser",
    async loadTexture(index) {
      const image = parser.json.images[parser.json.textures[index].source];
      return textureOf(new Uint8Array(await parser.getDependency("bufferView", image.bufferView)));
    },
  }));
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
}

// Where three.js puts a vertex of a skinned mesh now.
function skinned(mesh, vertex) {
  return mesh.getVertexPosition(vertex, new Vector3()).applyMatrix4(mesh.matrixWorld);
}

// Plays a clip and compares skinned vertices with those of the full simulation, within what the writer says that bones and keys cost.
async function checkMoving(path, report) {
  const { scene, animations } = await load(path);
  const { clips, bones, joints, leaf_nodes } = report.animation;
  same(animations.length, clips.length, "clips");
  same(animations[0].name, clips[0].name, "name of the clip");
  expect(Math.abs(animations[0].duration - clips[0].seconds) < 1e-5, `the clip lasts ${animations[0].duration} s`);
  const [meshes, skeletons, nodes] = [[], new Set(), []];
  let named = 0;
  scene.traverse((object) => {
    if (object.isSkinnedMesh) {
      meshes.push(object);
      skeletons.add(object.skeleton);
    } else if (object.isMesh) nodes.push(object);
    if (/^(trunk|branch|leaf|fruit)/.test(object.name)) named += 1;
  });
  same(named, bones, "nodes of bones");
  same(nodes.length, leaf_nodes, "leaves with nodes");
  same([...new Set([...skeletons].map((s) => s.bones.length))].every((n) => n <= 256), true, "at most 256 joints");
  expect(skeletons.size >= joints.length, `${skeletons.size} skeletons for ${joints.length} skins`);
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  // Rounding of weights to 1/65535 and of places to f32.
  const allowed = clips[0].error.largest_m + 5e-5;
  let worst = 0;
  for (const { time, min, max, samples } of report.moments ?? []) {
    // The last moment of a clip that loops is its first again.
    mixer.setTime(Math.min(time, animations[0].duration - 1e-7));
    scene.updateMatrixWorld(true);
    if (joints.length === 1) {
      for (const { part, vertex, at } of samples) {
        worst = Math.max(worst, skinned(meshes[part], vertex).distanceTo(new Vector3(...at)));
      }
    }
    const box = new Box3();
    for (const mesh of meshes) {
      for (const i of new Set(mesh.geometry.index.array)) box.expandByPoint(skinned(mesh, i));
    }
    sameBounds(box, { min, max }, allowed, `bounds at ${time} s`);
  }
  expect(worst <= allowed, `a vertex is ${worst} m off, allowed are ${allowed}`);
  return `${bones} bones, ${joints.length} skins, a clip of ${clips[0].seconds} s` +
    (report.moments ? `, vertices within ${(worst * 1e3).toFixed(3)} mm (allowed ${(allowed * 1e3).toFixed(3)})` : "");
}

async function checkGlb(path, report) {
  const { scene } = await load(path);
  same(scene.children.length, report.trees.length, "trees");
  scene.children.forEach((node, t) => {
    const tree = report.trees[t];
    // three.js makes a group of several primitives, and cleans names; the raw one is in the node's data where it differs.
    same(node.userData.name ?? node.name, tree.name, `name of tree ${t}`);
    same(`${node.position.toArray()}`, `${tree.origin}`, `origin of tree ${t}`);
    const meshes = node.isMesh ? [node] : node.children;
    same(meshes.length, tree.parts.length, `parts of tree ${t}`);
    meshes.forEach((mesh, p) => {
      const part = tree.parts[p];
      const name = `${part.name} of tree ${t}`;
      same(mesh.material.name, part.material, `material of ${name}`);
      same(mesh.geometry.attributes.position.count, part.vertices, `vertices of ${name}`);
      same(mesh.geometry.index.count, 3 * part.triangles, `triangles of ${name}`);
      const box = new Box3().setFromBufferAttribute(mesh.geometry.attributes.position).translate(node.position);
      sameBounds(box, part, 1e-9, `bounds of ${name}`);
      const material = report.materials.find((m) => m.name === part.material);
      sameTexture(mesh.material.map, material, "base_color", name);
      sameTexture(mesh.material.normalMap, material, "normal", name);
      sameTexture(mesh.material.roughnessMap, material, "roughness", name);
      same(mesh.material.alphaTest > 0, material.cut_out, `cut-out of ${name}`);
      same(mesh.material.side === 2, material.double_sided, `both sides of ${name}`);
    });
  });
}

class FileTextures extends Loader {
  load(url) {
    expect(existsSync(url), `${url} is missing`);
    return existsSync(url) ? textureOf(readFileSync(url)) : new Texture();
  }
}

function checkObj(path, report) {
  const folder = dirname(path) + "/";
  const manager = new LoadingManager();
  manager.addHandler(/\.png$/, new FileTextures(manager));
  const text = readFileSync(path, "utf8");
  const library = text.match(/^mtllib (.*)$/m)[1];
  const materials = new MTLLoader(manager).parse(readFileSync(join(folder, library), "utf8"), folder);
  const loader = new OBJLoader(manager);
  loader.setMaterials(materials);
  const objects = loader.parse(text).children.filter((o) => o.isMesh && o.geometry.attributes.position.count > 0);
  const trees = report.trees.filter((tree) => tree.parts.length > 0);
  same(objects.length, trees.length, "trees");
  const base = report.trees[0].origin;
  objects.forEach((mesh, t) => {
    const several = Array.isArray(mesh.material);
    const groups = several ? mesh.geometry.groups : [{ start: 0, count: mesh.geometry.attributes.position.count, materialIndex: 0 }];
    const parts = trees[t].parts;
    same(groups.length, parts.length, `parts of tree ${t}`);
    groups.forEach(({ start, count, materialIndex }, p) => {
      const part = parts[p];
      const name = `${part.name} of tree ${t}`;
      const found = several ? mesh.material[materialIndex] : mesh.material;
      const material = report.materials.find((m) => m.name === part.material);
      same(found.name, part.material.replace(/[^\p{Alphabetic}\p{Number}_.-]/gu, "_"), `material of ${name}`);
      same(count, 3 * part.triangles, `triangles of ${name}`);
      const positions = mesh.geometry.attributes.position;
      const box = new Box3().setFromArray(positions.array.subarray(3 * start, 3 * (start + count)));
      for (const corner of [box.min, box.max]) corner.set(corner.x + base[0], corner.y + base[1], corner.z + base[2]);
      // Rounded to 0.01 mm in the file, to f32 in the reader.
      const size = Math.max(...part.min.concat(part.max).map((x, i) => Math.abs(x - base[i % 3])));
      sameBounds(box, part, 6e-6 + size * 6e-8, `bounds of ${name}`);
      sameTexture(found.map, material, "base_color", name);
      sameTexture(found.normalMap, material, "normal", name);
      if (material.cut_out) expect(found.alphaMap, `no alpha of ${name}`);
    });
  });
}

for (const path of process.argv.slice(2)) {
  const before = failures;
  console.log(basename(path));
  const report = JSON.parse(readFileSync(path.replace(/\.\w+$/, ".json"), "utf8"));
  let moving = "";
  if (report.animation) moving = `${await checkMoving(path, report)}; `;
  else if (path.endsWith(".glb")) await checkGlb(path, report);
  else checkObj(path, report);
  if (failures === before) {
    console.log(`  three.js: ${moving}${report.trees.length} trees, ${report.vertices} vertices, ${report.triangles} triangles as reported`);
  }
}
if (process.argv.length < 3) expect(false, "no file to check");
process.exit(failures ? 1 : 0);
