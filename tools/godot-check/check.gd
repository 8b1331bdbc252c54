# Plays an imported tree and compares bones, nodes and skinned vertices with truth.json, which truth.py wrote. Run by `run`; by hand:
#
#   godot3-server --path PROJECT --script check.gd res://oak.glb truth.json MILLIMETRES
#
# Fails if anything is missing or farther off than MILLIMETRES. Vertices are skinned here, by Godot's bones, binds and weights: without a window
# nothing else does it.
extends SceneTree

# What an AnimationPlayer of Godot 3 moves at most (NODE_CACHE_UPDATE_MAX in its source).
const TRACKS := 1024

var missing := 0
var other_uvs := 0


func _init():
	var arguments := OS.get_cmdline_args()
	var scene: Node = load(arguments[-3]).instance()
	var file := File.new()
	if file.open(arguments[-2], File.READ) != OK:
		print("  WRONG: can't read ", arguments[-2])
		quit(1)
		return
	var truth: Dictionary = JSON.parse(file.get_as_text()).result
	root.add_child(scene)
	var player: AnimationPlayer = all(scene, "AnimationPlayer")[0]
	var clip: String = player.get_animation_list()[0]
	var animation := player.get_animation(clip)
	print("  clip \"%s\", %s s (in the file %s s), loops: %s, %d tracks" % [clip, animation.length, truth.seconds, animation.loop, animation.get_track_count()])
	if animation.get_track_count() > TRACKS:
		print("  WRONG: Godot 3 moves %d tracks, the rest stands still: export with fewer --bones" % TRACKS)
	var meshes := by_name(all(scene, "MeshInstance"))
	var nodes := nodes_of(truth, scene, meshes)
	var samples := samples_of(truth.vertices, meshes)
	var worst := Worst.new()
	player.play(clip)
	for moment in truth.moments:
		player.seek(moment.time, true)
		worst.compare(moment, nodes, samples)
	print("  ", worst.told(), "; %d not found" % missing)
	# Godot before 3.3 takes integers as they are, where the file says that they are normalized: leaves are not cut out.
	print("  texture coordinates: %d of %d vertices have others" % [other_uvs, samples.size()])
	# From shortly before the end over it: the beginning again, or still the end if the clip does not loop.
	player.seek(animation.length - 0.05, true)
	player.advance(0.05 + truth.moments[1].time)
	var around := Worst.new()
	var then: Dictionary = truth.moments[1 if animation.loop else -1]
	around.compare(then, nodes, samples)
	print("  played over the end, at %s s: %s" % [then.time, around.told()])
	var allowed := float(arguments[-1]) * 1e-3
	quit(0 if missing == 0 and worst.within(allowed) and around.within(allowed) else 1)


# All nodes of a class below a node.
func all(node: Node, kind: String) -> Array:
	var found := [node] if node.is_class(kind) else []
	for child in node.get_children():
		found += all(child, kind)
	return found


func by_name(nodes: Array) -> Dictionary:
	var result := {}
	for node in nodes:
		result[node.name] = node
	return result


# For each node of the truth what stands for it: [skeleton, bone] or [node], or [] where nothing does. Skins tell bones: Godot changes their names.
func nodes_of(truth: Dictionary, scene: Node, meshes: Dictionary) -> Array:
	var result := []
	for _path in truth.nodes:
		result.append([])
	for number in truth.meshes:
		var name: String = truth.nodes[number].split("/")[-1]
		if meshes.has(name):
			result[number] = [meshes[name]]
	var renamed := []
	for skin in truth.skins:
		var mesh: MeshInstance = meshes.get(skin.node)
		if mesh == null or mesh.skin.get_bind_count() != skin.joints.size():
			print("  WRONG: no mesh, or another skin: ", skin.node)
			continue
		var skeleton: Skeleton = mesh.get_node(mesh.skeleton)
		for bind in skin.joints.size():
			var bone := bone_of(mesh.skin, bind, skeleton)
			var name: String = truth.nodes[skin.joints[bind]].split("/")[-1]
			if skeleton.get_bone_name(bone) != name and result[skin.joints[bind]].empty():
				renamed.append("%s is %s" % [name, skeleton.get_bone_name(bone)])
			result[skin.joints[bind]] = [skeleton, bone]
	missing += result.count([])
	var bones := 0
	for skeleton in all(scene, "Skeleton"):
		bones += skeleton.get_bone_count()
	print("  %d skeletons, %d bones, %d with other names%s; %d nodes beside" % [all(scene, "Skeleton").size(), bones, renamed.size(),
			" (%s)" % renamed[0] if renamed else "", all(scene, "Spatial").size()])
	return result


func bone_of(skin: Skin, bind: int, skeleton: Skeleton) -> int:
	var name := skin.get_bind_name(bind)
	return skeleton.find_bone(name) if name != "" else skin.get_bind_bone(bind)


# For each vertex of the truth what skins it, or null where Godot's vertex of that number is elsewhere.
func samples_of(vertices: Array, meshes: Dictionary) -> Array:
	var surfaces := {}
	var result := []
	for vertex in vertices:
		var mesh: MeshInstance = meshes.get(vertex.node)
		var key := [vertex.node, vertex.surface]
		if mesh != null and not surfaces.has(key):
			surfaces[key] = mesh.mesh.surface_get_arrays(vertex.surface)
		result.append(sample_of(vertex, mesh, surfaces[key]) if mesh != null else null)
	missing += result.count(null)
	return result


func sample_of(vertex: Dictionary, mesh: MeshInstance, arrays: Array) -> Sample:
	var v := int(vertex.vertex)
	var places: PoolVector3Array = arrays[Mesh.ARRAY_VERTEX]
	if v >= places.size() or places[v].distance_to(Vector3(vertex.rest[0], vertex.rest[1], vertex.rest[2])) > 1e-5:
		return null
	var uv := Vector2(vertex.uv[0], vertex.uv[1])
	# Godot keeps them as half floats.
	if arrays[Mesh.ARRAY_TEX_UV][v].distance_to(uv) > 1e-3 * max(1, uv.length()):
		other_uvs += 1
	var result := Sample.new()
	result.rest = places[v]
	result.skeleton = mesh.get_node(mesh.skeleton)
	for slot in 4:
		var bind := int(arrays[Mesh.ARRAY_BONES][4 * v + slot])
		var weight: float = arrays[Mesh.ARRAY_WEIGHTS][4 * v + slot]
		result.parts.append([bone_of(mesh.skin, bind, result.skeleton), mesh.skin.get_bind_pose(bind), weight])
	return result


class Sample:
	var skeleton: Skeleton
	var rest: Vector3
	var parts := []

	func place() -> Vector3:
		var sum := Vector3()
		for part in parts:
			sum += part[2] * (skeleton.get_bone_global_pose(part[0]) * part[1]).xform(rest)
		return skeleton.global_transform.xform(sum)


# Largest distances in m; of vectors along axes without unit.
class Worst:
	var nodes := 0.0
	var axes := 0.0
	var vertices := 0.0

	func compare(moment: Dictionary, found: Array, samples: Array):
		for i in found.size():
			if found[i]:
				var now: Transform = found[i][0].global_transform
				if found[i].size() == 2:
					now = now * found[i][0].get_bone_global_pose(found[i][1])
				var m: Array = moment.nodes[i]
				nodes = larger(nodes, now.origin.distance_to(Vector3(m[3], m[7], m[11])))
				for axis in 3:
					axes = larger(axes, now.basis[axis].distance_to(Vector3(m[axis], m[4 + axis], m[8 + axis])))
		for i in samples.size():
			if samples[i] != null:
				var at: Array = moment.vertices[i]
				vertices = larger(vertices, samples[i].place().distance_to(Vector3(at[0], at[1], at[2])))

	# What is no number stays.
	func larger(a: float, b: float) -> float:
		return a if is_nan(a) or a >= b else b

	func within(allowed: float) -> bool:
		return nodes <= allowed and vertices <= allowed

	func told() -> String:
		return "joints within %.4f mm, axes within %.7f, vertices within %.4f mm" % [nodes * 1e3, axes, vertices * 1e3]
