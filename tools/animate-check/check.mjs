// Files of `windfall animate` in Khronos' validator and three.js: no errors that the file did not have before, and joints where the report says.
//
//   node check.mjs BEFORE.glb AFTER.glb REPORT.json ...     REPORT.json is what --json prints

import { readFileSync } from "node:fs";
import { AnimationMixer, Texture, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import validator from "gltf-validator";

let failures = 0;
function expect(good, what) {
  if (good) return;
  failures += 1;
  console.error(`  WRONG: ${what}`);
}

async function issues(path) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 0 });
  return issues;
}


async function check(before, after, reportPath) {
  console.log(after);
  const [old, now] = [await issues(before), await issues(after)];
  console.log(`  validator: ${now.numErrors} errors (before ${old.numErrors}), ${now.numWarnings} warnings (before ${old.numWarnings})`);
  expect(now.numErrors <= old.numErrors, "new errors");
  expect(now.numWarnings <= old.numWarnings, "new warnings");
  for (const { code, severity, message, pointer } of now.messages.filter((issue) => issue.severity < 2).slice(0, 5)) {
    console.log(`    ${severity} ${code} ${pointer}: ${message}`);
  }
  const bytes = readFileSync(after);
  const loader = new GLTFLoader();
  // Node can't decode images.
  loader.register((parser) => ({ name: "none", loadTexture: () => Promise.resolve(new Texture()), parser }));
  const file = await new Promise((done, wrong) =>
    loader.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "", done, wrong));
  const report = JSON.parse(readFileSync(reportPath));
  const nodes = new Map();
  for (const [thing, at] of file.parser.associations) if (at.nodes !== undefined && thing.isObject3D) nodes.set(at.nodes, thing);
  let worst = 0;
  for (const clip of report.clips) {
    const mixer = new AnimationMixer(file.scene);
    mixer.clipAction(file.animations.find((animation) => animation.name === clip.name)).play();
    for (const moment of clip.moments) {
      // The very end of a loop is its beginning.
      mixer.setTime(Math.min(moment.seconds, clip.seconds - 1e-6));
      file.scene.updateMatrixWorld(true);
      for (const joint of moment.joints) {
        const found = new Vector3().setFromMatrixPosition(nodes.get(joint.node).matrixWorld);
        worst = Math.max(worst, found.distanceTo(new Vector3(...joint.at)) / report.rig.height_units);
      }
    }
    mixer.stopAllAction();
  }
  console.log(`  three.js: joints within ${worst.toExponential(1)} of the height`);
  expect(worst < 1e-4, "joints are elsewhere");
}

const files = process.argv.slice(2);
for (let i = 0; i + 2 < files.length; i += 3) await check(files[i], files[i + 1], files[i + 2]);
if (files.length < 3) expect(false, "no file to check");
process.exit(failures ? 1 : 0);
