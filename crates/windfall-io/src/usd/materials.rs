//! Materials as `UsdPreviewSurface`, with images beside the file.
//!
//! Light transmitted through leaves cannot be represented. Tints are a primvar (`tint`) that the surface
//! does not use, since it cannot multiply.

use windfall_skin::{Material, Skin};

use super::layer::{Prim, Value};
use crate::textures::{ImageFile, Textures, used_materials};

/// Materials of a skin.
pub(super) struct Materials {
    /// Path of each material of the skin; `None` for unused ones.
    pub paths: Vec<Option<String>>,
    /// Whether each is double-sided.
    pub double_sided: Vec<bool>,
    pub images: Vec<ImageFile>,
}

/// A scope with all used materials. `beside` is the prefix of image files; `path` is the path of the
/// scope.
pub(super) fn scope<'a>(skin: &Skin, beside: &str, name: String, path: &str) -> (Prim<'a>, Materials) {
    let mut scope = Prim::new("Scope", name);
    let double_sided = skin.materials.iter().map(|material| material.double_sided).collect();
    let mut materials = Materials { paths: Vec::new(), double_sided, images: Vec::new() };
    let words = used_materials(skin);
    let identifiers = super::layer::identifiers(skin.materials.iter().map(|material| &*material.name));
    for ((word, name), material) in words.into_iter().zip(identifiers).zip(&skin.materials) {
        let path = format!("{path}/{name}");
        materials.paths.push(word.is_some().then(|| path.clone()));
        if let Some(word) = word {
            let textures = Textures::of(beside, &word, material);
            scope.children.push(prim(material, &textures, name, &path));
            materials.images.extend([textures.color, textures.roughness, textures.normal].into_iter().flatten());
        }
    }
    (scope, materials)
}

fn prim<'a>(material: &Material, textures: &Textures, name: String, path: &str) -> Prim<'a> {
    let mut prim = Prim::new("Material", name);
    prim.connect("token", "outputs:surface", format!("{path}/surface.outputs:surface"));
    let mut surface = shader("UsdPreviewSurface", "surface");
    let mut images = Vec::new();
    let place = format!("{path}/st.outputs:result");
    if let Some(file) = &textures.color {
        let mut color = texture("color", file, "sRGB", &place);
        color.output("float3", "outputs:rgb");
        surface.connect("color3f", "inputs:diffuseColor", format!("{path}/color.outputs:rgb"));
        if let Some(cutoff) = material.alpha_cutoff {
            color.output("float", "outputs:a");
            surface.connect("float", "inputs:opacity", format!("{path}/color.outputs:a"));
            surface.set("float", "inputs:opacityThreshold", Value::Float(cutoff));
        }
        images.push(color);
    } else {
        surface.set("color3f", "inputs:diffuseColor", Value::Float3(material.base_color_factor));
    }
    if let Some(file) = &textures.roughness {
        let mut roughness = texture("roughness", file, "raw", &place);
        roughness.output("float", "outputs:r");
        surface.connect("float", "inputs:roughness", format!("{path}/roughness.outputs:r"));
        images.push(roughness);
    } else {
        surface.set("float", "inputs:roughness", Value::Float(material.roughness_factor));
    }
    if let Some(file) = &textures.normal {
        let mut normal = texture("normal", file, "raw", &place);
        // Bytes to -1..1.
        normal.set("float4", "inputs:scale", Value::Float4([2.0, 2.0, 2.0, 1.0]));
        normal.set("float4", "inputs:bias", Value::Float4([-1.0, -1.0, -1.0, 0.0]));
        normal.output("float3", "outputs:rgb");
        surface.connect("normal3f", "inputs:normal", format!("{path}/normal.outputs:rgb"));
        images.push(normal);
    }
    surface.set("float", "inputs:metallic", Value::Float(0.0));
    surface.set("int", "inputs:useSpecularWorkflow", Value::Int(0));
    surface.output("token", "outputs:surface");
    prim.children.push(surface);
    if !images.is_empty() {
        let mut st = shader("UsdPrimvarReader_float2", "st");
        st.set("string", "inputs:varname", Value::Text("st".into()));
        st.output("float2", "outputs:result");
        prim.children.push(st);
    }
    prim.children.append(&mut images);
    prim
}

fn shader<'a>(id: &str, name: &str) -> Prim<'a> {
    let mut prim = Prim::new("Shader", name);
    prim.set_uniform("token", "info:id", Value::Token(id.into()));
    prim
}

fn texture<'a>(name: &str, file: &ImageFile, color_space: &str, place: &str) -> Prim<'a> {
    let mut prim = shader("UsdUVTexture", name);
    prim.set("asset", "inputs:file", Value::Asset(format!("./{}", file.name)));
    prim.set("token", "inputs:sourceColorSpace", Value::Token(color_space.into()));
    prim.connect("float2", "inputs:st", place.to_owned());
    for axis in ["inputs:wrapS", "inputs:wrapT"] {
        prim.set("token", axis, Value::Token("repeat".into()));
    }
    prim
}
